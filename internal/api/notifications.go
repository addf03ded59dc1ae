package api

// Notifications are where a server sends notifications of regressions.
type Notifications struct {
	Targets []NotificationTarget `json:"targets"`
}

// NotificationTarget is a target and how it goes, since the server started.
type NotificationTarget struct {
	Name    string `json:"name"`
	Format  string `json:"format"`
	Sent    int64  `json:"sent"`    // events
	Failed  int64  `json:"failed"`  // requests
	Dropped int64  `json:"dropped"` // events that were given up
	Waiting int64  `json:"waiting"` // events
	Error   string `json:"error"`   // of the last request; "" if it succeeded
}

// NotificationTests are the results of test notifications.
type NotificationTests struct {
	Tests []NotificationTest `json:"tests"`
}

// NotificationTest is what came of a test notification.
type NotificationTest struct {
	Name   string `json:"name"`
	Format string `json:"format"`
	Status int    `json:"status"` // of the target's answer; 0 if none came
	Answer string `json:"answer"` // the start of its body
	Took   int64  `json:"took"`   // ms
	Error  string `json:"error"`  // "" if the target took it
}

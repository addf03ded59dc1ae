package main

// What is sent where no files say something else: the state of a sensor, about a
// kilobyte, and a name that has the device's number in it.
const (
	samplePayloads = `{"battery":{"charging":false,"cycles":212,"level":0.87,"temperature":24.5,"voltage":3.91},` +
		`"device":{"firmware":"4.12.0","hardware":"C2","model":"TH-40","name":"","serial":"A0-4471-0032"},` +
		`"events":[{"code":17,"level":"info","text":"calibrated"},{"code":42,"level":"warning","text":"humidity rises"}],` +
		`"location":{"altitude":54.2,"building":"north hall","floor":2,"latitude":52.52437,"longitude":13.41053,"room":"2.17"},` +
		`"network":{"address":"10.20.7.131","channel":11,"gateway":"gw-07","interface":"wlan0","lost":3,"received":18422,"sent":17011,"signal":-61},` +
		`"readings":{"co2":612,"humidity":48.3,"illuminance":320,"noise":37.4,"pm10":14,"pm25":8,"pressure":1013.2,"temperature":21.7,"tvoc":104},` +
		`"settings":{"alarm":true,"high":28,"interval":60,"language":"en","low":16,"unit":"C"},` +
		`"status":"online","time":"2026-11-21T18:00:00Z"}`

	sampleReplacements = `{"device.name":["device.model","_","deviceNo"]}`
)

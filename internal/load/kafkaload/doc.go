// Package kafkaload sends messages to a Kafka topic, at a rate or as fast as the
// brokers accept them, and reports what became of them.
//
//	Options   say what to send, where, and how
//	New       connects, and checks that the topic exists or can be created
//	Sender    is a load.Sender: load.Run sends at a rate, Flood without one
//	Delivery  is what a consumer of the topic saw: lost and doubled messages, and
//	          how long each took to arrive
//
// A message's response time is the time from when it was due until a broker
// acknowledged it. In a flood no message is due at a time, so it counts from when the
// message was handed to the client.
//
// Messages are made from compiled templates, in buffers that are reused once a
// message is acknowledged. So memory depends on how many messages are under way, not
// on how many are sent.
package kafkaload

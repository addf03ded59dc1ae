// Package kafkaload sends messages to a Kafka topic, at a rate or as fast as the
// brokers take them, and tells what became of each.
//
//	Options   what to send, where, and how
//	New       asks whether the topic can be had, before anything is sent
//	Sender    a load.Sender: load.Run gives the rate; Flood, none
//	Delivery  what a consumer of the topic saw: lost, doubled, how long it took
//
// A message's response is its acknowledgement: response time counts from when the
// message was due until a broker confirmed it. In a flood nothing is due, so there
// it counts from when the message was handed to the client.
//
// Messages are filled in from compiled templates into buffers that are used again
// once a message is acknowledged, so that memory depends on what is under way and
// not on what was sent.
package kafkaload

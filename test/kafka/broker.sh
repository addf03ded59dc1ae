#!/bin/sh
# A real Kafka broker for tests: one node, loopback only, its data in a folder.
#
#	broker.sh jars              fetches Kafka's jars if they are missing, and prints their folder
#	broker.sh run DIR [FILE]    serves DIR, formatted if it is new, until it is killed
#	broker.sh tool CLASS ARG... runs a class of Kafka's
#
# FILE has settings besides those below: listeners, and the controller's port. With
# it, the broker is killed (with -9) when its standard input ends, so that it does
# not outlive the test that started it.
#
# HONE_KAFKA is where jars are kept (~/.cache/hone-kafka). Java 17 and Maven are
# installed if they are missing, where CI=true and apt-get may do it. Exit code 3
# says that they are missing.
set -eu

kafka=4.1.0
cache=${HONE_KAFKA:-${XDG_CACHE_HOME:-$HOME/.cache}/hone-kafka}
lib=$cache/$kafka

need() {
	if command -v java >/dev/null && { [ -d "$lib" ] || command -v mvn >/dev/null; }; then
		return
	fi
	if [ "${CI:-}" = true ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		# Others may be installing something: apt-get does not wait for the lists.
		for try in 1 2 3 4 5 6; do
			{ apt-get -o Acquire::Retries=3 update -q && apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 install -q -y \
				--no-install-recommends openjdk-17-jre-headless maven; } >&2 && return
			sleep 5
		done
		exit 1
	fi
	echo 'a Kafka broker takes Java 17, and Maven to fetch it: apt-get install openjdk-17-jre-headless maven' >&2
	exit 3
}

# Jars are fetched into a folder of their own that then gets its name, as others may fetch at the same time.
jars() {
	need
	if [ ! -d "$lib" ]; then
		mkdir -p "$cache"
		new=$(mktemp -d "$cache/new.XXXXXX")
		trap 'rm -rf "$new"' EXIT
		cat >"$new/pom.xml" <<-POM
			<project xmlns="http://maven.apache.org/POM/4.0.0">
			  <modelVersion>4.0.0</modelVersion>
			  <groupId>hone.test</groupId><artifactId>kafka</artifactId><version>1</version>
			  <dependencies>
			    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>$kafka</version></dependency>
			    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
			    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>$kafka</version>
			      <exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>
			    </dependency>
			  </dependencies>
			</project>
		POM
		for try in 1 2 3; do # over a network, which sometimes fails
			mvn -q -B -f "$new/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$new/lib" >&2 && break
			[ $try -lt 3 ] || exit 1
			sleep 5
		done
		[ -d "$lib" ] || mv "$new/lib" "$lib"
		rm -rf "$new"
		trap - EXIT
	fi
}

run() {
	dir=$1
	mkdir -p "$dir"
	{
		cat <<-SETTINGS
			process.roles=broker,controller
			node.id=1
			log.dirs=$dir/data
			controller.listener.names=CONTROLLER
			num.partitions=4
			auto.create.topics.enable=false
			offsets.topic.replication.factor=1
			transaction.state.log.replication.factor=1
			transaction.state.log.min.isr=1
			share.coordinator.state.topic.replication.factor=1
			share.coordinator.state.topic.min.isr=1
			log.segment.bytes=134217728
			log.retention.bytes=1073741824
			log.retention.check.interval.ms=10000
			log.segment.delete.delay.ms=1000
		SETTINGS
		if [ $# -gt 1 ]; then
			cat "$2"
		else
			echo listeners=PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093
			echo controller.quorum.voters=1@127.0.0.1:9093
		fi
	} >"$dir/server.properties"
	if [ ! -e "$dir/data/meta.properties" ]; then
		java -Xmx256m -XX:TieredStopAtLevel=1 -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp "$lib/*" kafka.tools.StorageTool \
			format -t hone-test-broker-AAAAA -c "$dir/server.properties" >&2
	fi
	if [ $# -gt 1 ]; then
		exec 3<&0
		(cat <&3 >/dev/null && kill -9 $$) &
		exec 3<&-
	fi
	exec java -Xmx512m -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp "$lib/*" kafka.Kafka "$dir/server.properties"
}

case ${1:-} in
jars) jars && echo "$lib" ;;
run) shift && jars && run "$@" ;;
tool) shift && jars && exec java -Xmx512m -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp "$lib/*" "$@" ;;
*) sed -n '2,/^set/s/^#[ ]\{0,1\}//p' "$0" >&2 && exit 2 ;;
esac

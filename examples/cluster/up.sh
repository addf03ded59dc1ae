#!/bin/sh
# Two shards of ClickHouse on this machine, for a look: up.sh DIR. They listen on
# 127.0.0.1:8123 and :8124 and keep their data in DIR; ^C ends them.
#
# clickhouse-server, Java and ZooKeeper are those of Debian: apt-get install
# clickhouse-server zookeeper curl. PORTS=20000 has them at 20000 and the ports after it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:?a directory}/1" "$1/2" "$1/zookeeper"
cd "$1"
http=${PORTS:-8123} others=${PORTS:-9000}
export ZOOKEEPER_PORT=$((others + 10)) TCP_PORT_1=$((others + 11)) TCP_PORT_2=$((others + 12)) USERS="$here/users.xml"

trap 'kill $started 2>/dev/null || :' EXIT INT TERM
cat >zookeeper/zoo.cfg <<-SETTINGS
	dataDir=$PWD/zookeeper
	clientPort=$ZOOKEEPER_PORT
	clientPortAddress=127.0.0.1
	admin.enableServer=false
SETTINGS
java -Xmx256m -cp /usr/share/java/zookeeper.jar:/usr/share/java/slf4j-nop.jar \
	org.apache.zookeeper.server.quorum.QuorumPeerMain zookeeper/zoo.cfg &
started=$!
sleep 3
for shard in 1 2; do
	cd $shard
	SHARD=$shard HTTP_PORT=$((http + shard - 1)) TCP_PORT=$((others + 10 + shard)) REPLICATION_PORT=$((others + 12 + shard)) \
		clickhouse-server --config-file="$here/node.xml" >output 2>&1 &
	started="$started $!"
	cd ..
done
# A server that is asked for tables before it has a session with ZooKeeper may crash.
for port in $http $((http + 1)); do
	until [ "$(curl -s "http://127.0.0.1:$port/?query=SELECT+value+FROM+system.metrics+WHERE+metric='ZooKeeperSession'")" = 1 ]; do sleep 0.5; done
done
echo "Two shards at 127.0.0.1:$http and 127.0.0.1:$((http + 1)); ^C ends them"
wait

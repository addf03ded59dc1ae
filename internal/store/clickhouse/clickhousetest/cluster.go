package clickhousetest

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// ClusterName is the name of the cluster in its configuration. Each server has the macros shard
// and replica.
const ClusterName = "hone"

// A Cluster is several servers of Debian's version with ZooKeeper.
type Cluster struct {
	Shards [][]*Server // replicas by shard

	zookeeper *process
}

// StartCluster starts a cluster in dir, which must be empty.
func StartCluster(dir string, shards, replicas int) (*Cluster, error) {
	if _, err := install("cluster"); err != nil {
		return nil, err
	}
	at, err := ports(3*shards*replicas + 1)
	if err != nil {
		return nil, err
	}
	next := func() string {
		one := at[0]
		at = at[1:]
		return one
	}
	keeper := next()
	c := &Cluster{}
	if c.zookeeper, err = startZooKeeper(filepath.Join(dir, "zookeeper"), keeper); err != nil {
		return nil, err
	}
	var nodes []*node
	tcp := make([][]string, shards)
	for shard := range shards {
		for replica := range replicas {
			n := &node{
				Dir: filepath.Join(dir, fmt.Sprintf("%d-%d", shard+1, replica+1)), HTTP: next(), TCP: next(), Interserver: next(),
				Shard: shard + 1, Replica: replica + 1, Shards: tcp, ZooKeeper: keeper,
			}
			tcp[shard] = append(tcp[shard], n.TCP)
			nodes = append(nodes, n)
		}
	}
	c.Shards = make([][]*Server, shards)
	for _, n := range nodes {
		s, err := n.server()
		if err == nil {
			err = s.begin()
		}
		if err != nil {
			c.Kill()
			return nil, err
		}
		c.Shards[n.Shard-1] = append(c.Shards[n.Shard-1], s)
	}
	for _, s := range c.Servers() {
		if err := s.wait(); err != nil {
			c.Kill()
			return nil, err
		}
	}
	return c, c.formed()
}

// formed waits until all servers execute statements ON CLUSTER. A server that gets one before
// it has a session with ZooKeeper crashes.
func (c *Cluster) formed() error {
	for _, s := range c.Servers() {
		if err := s.joined(); err != nil {
			return err
		}
	}
	var err error
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		name := newName()
		if _, err = c.Servers()[0].Query("CREATE DATABASE " + name + " ON CLUSTER " + ClusterName); err != nil {
			for _, s := range c.Servers() {
				if s.over() {
					return fmt.Errorf("%s ended: %w\n%s", s.dir, err, s.said())
				}
			}
			continue
		}
		_, err = c.Servers()[0].Query("DROP DATABASE " + name + " ON CLUSTER " + ClusterName)
		return err
	}
	return fmt.Errorf("the cluster does not form: %w", err)
}

// joined waits until a server has a session with ZooKeeper.
func (s *Server) joined() error {
	var n string
	var err error
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		if n, err = s.Query("SELECT value FROM system.metrics WHERE metric = 'ZooKeeperSession'"); err == nil && n != "0\n" {
			time.Sleep(200 * time.Millisecond) // for what asked for the session to take note of it
			return nil
		}
	}
	return fmt.Errorf("%s has %q sessions with ZooKeeper: %w", s.dir, n, err)
}

// Servers returns all servers, ordered by shard.
func (c *Cluster) Servers() []*Server {
	var all []*Server
	for _, replicas := range c.Shards {
		all = append(all, replicas...)
	}
	return all
}

// Addrs returns the HTTP addresses of all servers.
func (c *Cluster) Addrs() []string {
	var all []string
	for _, s := range c.Servers() {
		all = append(all, s.Addr)
	}
	return all
}

// Kill ends all servers with SIGKILL.
func (c *Cluster) Kill() {
	for _, s := range c.Servers() {
		s.Kill()
	}
	c.zookeeper.Kill()
}

// Name returns an unused database name. The database is dropped on all servers at the end of
// the test, if it exists.
func (c *Cluster) Name(t testing.TB) string {
	name := newName()
	t.Cleanup(func() {
		if _, err := c.Servers()[0].Query("DROP DATABASE IF EXISTS " + name + " ON CLUSTER " + ClusterName); err != nil {
			t.Error(err)
		}
	})
	return name
}

// Database creates a database on all servers and returns its name. The database is dropped at
// the end of the test.
func (c *Cluster) Database(t testing.TB) string {
	t.Helper()
	name := c.Name(t)
	if _, err := c.Servers()[0].Query("CREATE DATABASE " + name + " ON CLUSTER " + ClusterName); err != nil {
		t.Fatal(err)
	}
	return name
}

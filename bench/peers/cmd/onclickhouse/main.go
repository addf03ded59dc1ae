// Command onclickhouse is hone serve on ClickHouse as one server: it starts the
// engine, makes the tables, starts hone, and ends both. Whatever ends it ends them.
//
//	onclickhouse -hone PROGRAM -data DIRECTORY [-today FOLDER -shim today.py]
//
// The engine is clickhouse-server of the machine, with zstd as doc/cluster.md advises for old ones, or with -today the one that Python
// finds in a folder (PyPI's chdb) behind the shim that hone's tests have.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// engineAddr is where the engine answers; its other port is the next one.
const engineAddr = "127.0.0.1:4710"

const config = `<yandex>
  <logger><level>warning</level><log>%[1]s/log</log><errorlog>%[1]s/log.errors</errorlog><size>10M</size><count>1</count></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>4710</http_port>
  <tcp_port>4711</tcp_port>
  <path>%[1]s/data/</path>
  <tmp_path>%[1]s/tmp/</tmp_path>
  <user_files_path>%[1]s/files/</user_files_path>
  <format_schema_path>%[1]s/schemas/</format_schema_path>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <mark_cache_size>268435456</mark_cache_size>
  <compression><case><min_part_size>0</min_part_size><min_part_size_ratio>0</min_part_size_ratio><method>zstd</method></case></compression>
  <timezone>UTC</timezone>
</yandex>
`

const users = `<yandex>
  <profiles><default></default></profiles>
  <users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
  <quotas><default></default></quotas>
</yandex>
`

func init() {
	// A child is killed when the thread that started it ends.
	runtime.LockOSThread()
}

func main() {
	hone := flag.String("hone", os.Getenv("HONE_BIN"), "hone's `program`")
	data := flag.String("data", "", "`directory` of both")
	listen := flag.String("listen", "127.0.0.1:4600", "`address` of hone")
	today := flag.String("today", "", "`folder` with today's engine")
	shim := flag.String("shim", "", "`file` with the shim for it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	dir := filepath.Join(*data, "engine")
	must(os.MkdirAll(dir, 0o755))
	var engine *exec.Cmd
	if *today != "" {
		engine = exec.Command("python3", *shim, filepath.Join(dir, "data"), "4710")
		engine.Env = append(os.Environ(), "PYTHONPATH="+*today)
	} else {
		must(os.WriteFile(filepath.Join(dir, "server.xml"), fmt.Appendf(nil, config, dir), 0o644))
		must(os.WriteFile(filepath.Join(dir, "users.xml"), []byte(users), 0o644))
		engine = exec.Command("clickhouse-server", "--config-file=server.xml")
	}
	engine.Dir = dir
	gone := start(engine)
	for {
		resp, err := http.Get("http://" + engineAddr + "/ping")
		if err == nil {
			resp.Body.Close()
			break
		}
		if ctx.Err() != nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	url := "clickhouse://" + engineAddr + "/hone"
	create := exec.Command(*hone, "store", "create", url)
	create.Stderr = os.Stderr
	must(create.Run())
	serve := exec.Command(*hone, "serve", "-listen", *listen, "-data", filepath.Join(*data, "node"), "-store", url)
	ended := start(serve)
	select {
	case <-ctx.Done():
		serve.Process.Signal(syscall.SIGTERM)
		<-ended
	case err := <-ended:
		log.Print("hone ended: ", err)
	}
	engine.Process.Signal(syscall.SIGTERM)
	<-gone
}

// start starts a child, and returns how it ends.
func start(cmd *exec.Cmd) <-chan error {
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	must(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return ended
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

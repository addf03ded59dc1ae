module github.com/parca-dev/oomprof

go 1.26.0

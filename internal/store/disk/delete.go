package disk

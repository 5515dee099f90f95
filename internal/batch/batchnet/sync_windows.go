package batchnet

// syncDir does nothing: Windows keeps the names of files itself.
func syncDir(string) error { return nil }

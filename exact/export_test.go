package exact

// Log is log, for tests.
var Log = log

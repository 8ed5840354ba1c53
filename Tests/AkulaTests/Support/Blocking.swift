/// Runs calls that block their thread, from a test that is asynchronous.
func blocking<Value>(_ body: () throws -> Value) rethrows -> Value { try body() }

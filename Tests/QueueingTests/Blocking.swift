import Delegation

/// Blocks the thread although it is a task's, which some tests are about.
func blocking<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
    try Blocking.run(work)
}

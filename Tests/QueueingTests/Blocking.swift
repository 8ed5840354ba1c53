import Delegation

/// Blocks the current thread, even one of the cooperative pool.
func blocking<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
    try Blocking.run(work)
}

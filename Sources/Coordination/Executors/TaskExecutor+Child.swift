extension TaskExecutor {
    /// Runs work in a child task on this executor. The calling task continues on its own executor.
    package func runChildTask<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        // A child task begins on the executor. Not so an async closure in `withTaskExecutorPreference`: the compiler
        // (6.3) omits the switch in front of its call.
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask(executorPreference: self) { try await work() }
            // The only child returns or throws.
            while true { if let value = try await group.next() { return value } }
        }
    }
}

public import HTTPMessages

extension APIClient {
    /// Makes several calls, a number of them at a time, and returns their values in the order of the calls.
    ///
    /// ```swift
    /// let items = try await client.map(ids.map { .get("items/\($0)") }, inFlight: 8) as [Item]
    /// ```
    ///
    /// The first error ends all: calls in flight are cancelled, others are not made.
    /// - Parameters:
    ///   - count: the most calls at a time, at least 1.
    ///   - progress: called on the caller's actor after each call, with the number of those that are done, and of all.
    /// - Throws: as `send(_:observer:)`.
    public func map<Value: Decodable & Sendable>(
        _ endpoints: some Sequence<EndpointRequest<Value>>, inFlight count: Int = 6,
        progress: (Int, _ of: Int) -> Void = { _, _ in }
    ) async throws -> [Value] {
        try await values(of: endpoints, inFlight: count, progress) { try await send($0, after: $1) }
    }

    /// Makes several calls, as `map(_:inFlight:progress:)`; the responses have the bytes of the bodies.
    ///
    /// ```swift
    /// try await client.map(ids.map { .delete("items/\($0)") })
    /// ```
    @discardableResult
    public func map(
        _ endpoints: some Sequence<EndpointRequest<HTTPResponse>>, inFlight count: Int = 6,
        progress: (Int, _ of: Int) -> Void = { _, _ in }
    ) async throws -> [HTTPResponse] {
        try await values(of: endpoints, inFlight: count, progress) {
            try await accepted($0, accept: nil, after: $1)
        }
    }

    /// Makes several calls, as `map(_:inFlight:progress:)`, and ignores the bodies of the responses.
    @_disfavoredOverload
    public func map(
        _ endpoints: some Sequence<EndpointRequest<Void>>, inFlight count: Int = 6,
        progress: (Int, _ of: Int) -> Void = { _, _ in }
    ) async throws {
        _ = try await values(of: endpoints, inFlight: count, progress) {
            _ = try await accepted($0, accept: nil, after: $1)
        }
    }

    /// Makes several calls, a number of them at a time, and handles each result as it comes.
    /// - Parameters:
    ///   - count: the most calls at a time, at least 1.
    ///   - handle: called on the caller's actor with the index of a call and its result, one at a time. Its error ends
    ///     all: calls in flight are cancelled, others are not made.
    /// - Throws: the error of `handle`; `CancellationError` when the task is cancelled.
    public func forEachResult<Value: Decodable & Sendable>(
        of endpoints: some Sequence<EndpointRequest<Value>>, inFlight count: Int = 6,
        _ handle: (Int, Result<Value, any Error>) throws -> Void
    ) async throws {
        try await handleResults(of: endpoints, inFlight: count, handle) { try await send($0, after: $1) }
    }

    /// Makes several calls, as `forEachResult(of:inFlight:_:)`; the responses have the bytes of the bodies.
    public func forEachResult(
        of endpoints: some Sequence<EndpointRequest<HTTPResponse>>, inFlight count: Int = 6,
        _ handle: (Int, Result<HTTPResponse, any Error>) throws -> Void
    ) async throws {
        try await handleResults(of: endpoints, inFlight: count, handle) {
            try await accepted($0, accept: nil, after: $1)
        }
    }

    /// Makes several calls, as `forEachResult(of:inFlight:_:)`, and ignores the bodies of the responses.
    @_disfavoredOverload
    public func forEachResult(
        of endpoints: some Sequence<EndpointRequest<Void>>, inFlight count: Int = 6,
        _ handle: (Int, Result<Void, any Error>) throws -> Void
    ) async throws {
        try await handleResults(of: endpoints, inFlight: count, handle) {
            _ = try await accepted($0, accept: nil, after: $1)
        }
    }
}

extension APIClient {
    /// Makes a call that belongs to the user of a number of sign-outs.
    private typealias Send<Value> = @Sendable (EndpointRequest<Value>, _ lastSignOut: Int) async throws -> Value

    private func values<Value: Sendable>(
        of endpoints: some Sequence<EndpointRequest<Value>>, inFlight count: Int, _ progress: (Int, Int) -> Void,
        sending send: @escaping Send<Value>
    ) async throws -> [Value] {
        let endpoints = Array(endpoints)
        var values = [Value?](repeating: nil, count: endpoints.count)
        var done = 0
        try await handleResults(
            of: endpoints, inFlight: count,
            { index, result in
                values[index] = try result.get()
                done += 1
                progress(done, endpoints.count)
            }, sending: send)
        return values.compactMap(\.self)
    }

    /// - Parameter actor: the caller's. The handler runs there, since the closure of the group captures it.
    private func handleResults<Value: Sendable>(
        of endpoints: some Sequence<EndpointRequest<Value>>, inFlight count: Int,
        isolation actor: isolated (any Actor)? = #isolation, _ handle: (Int, Result<Value, any Error>) throws -> Void,
        sending send: @escaping Send<Value>
    ) async throws {
        // Each is a call of its own, but of the user of now.
        let lastSignOut = SignOutClock.now
        try await withThrowingTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
            _ = actor
            var waiting = endpoints.enumerated().makeIterator()
            func start() -> Bool {
                guard !Task.isCancelled, let (index, endpoint) = waiting.next() else { return false }
                group.addTask {
                    do {
                        return (index, .success(try await send(endpoint, lastSignOut)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
                return true
            }
            for _ in 0..<max(1, count) where !start() { break }
            while let (index, result) = try await group.next() {
                try handle(index, result)
                _ = start()
            }
            try Task.checkCancellation()
        }
    }
}

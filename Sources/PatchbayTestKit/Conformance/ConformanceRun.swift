import Transport

/// One run of a case on a subject: the rules for exclusions and timeouts that all suites share.
struct ConformanceRun {
    typealias End = @Sendable (Result<Void, any Error>) -> Void

    let caseName: String
    let subject: String
    /// Starts the case, which calls `end` when it is done, and returns a function that cancels it.
    let start: (_ end: @escaping End) -> @Sendable () -> Void

    func check(_ exclusion: ConformanceExclusion?, within limit: Duration) async throws -> ConformanceVerdict {
        guard let exclusion else {
            try await run(within: limit)
            return .passed
        }
        guard exclusion.effect == .fails else { return .excluded(exclusion.reason) }
        do {
            try await run(within: limit)
        } catch let failure as ConformanceFailure where failure.caseName != nil {
            return .excluded(exclusion.reason)
        }
        throw failure("passes; remove its exclusion: \(exclusion.reason)")
    }

    func run(within limit: Duration) async throws {
        let outcome = Watched<Result<Void, any Error>?>(nil)
        let end: End = { result in outcome.update { $0 = $0 ?? result } }
        let cancel = start(end)
        let timer = Task {
            let clock = AnyMonotonicClock(ContinuousClock())
            guard (try? await clock.sleep(until: limit)) != nil else { return }
            end(.failure(ConformanceFailure("timed out after \(limit)")))
        }
        // A hanging case is abandoned; waiting for it would hang the caller too.
        defer {
            timer.cancel()
            cancel()
        }
        do {
            try await outcome.wait { $0 != nil }?.get()
        } catch is CancellationError where Task.isCancelled {
            throw CancellationError()
        } catch let error as ConformanceFailure {
            throw failure(error.message)
        } catch {
            throw failure("threw \(error)")
        }
    }

    private func failure(_ message: String) -> ConformanceFailure {
        ConformanceFailure(message, caseName: caseName, subject: subject)
    }
}

import Coordination
import Transport

/// One requirement of a conformance suite, as a test case: a ``ConformanceCase`` or, of the module `StoreTestKit`, a
/// `StoreConformanceCase`.
public struct ConformanceRequirement<Subject: TestSubject>: Sendable, CustomStringConvertible {
    package typealias End = @Sendable (Result<Void, any Error>) -> Void
    package typealias Cancel = @Sendable () -> Void

    /// The requirement. Exclusions refer to this name.
    public let name: String
    /// The capabilities without which the case does not apply.
    public let needs: Set<Subject.Capability>
    private let start: @Sendable (Subject, @escaping End) -> Cancel

    /// - Parameter start: starts the case, which calls `end` when it is done. Returns a function that cancels it.
    package init(
        _ name: String, needs: Set<Subject.Capability>,
        start: @escaping @Sendable (_ subject: Subject, _ end: @escaping End) -> Cancel
    ) {
        self.name = name
        self.needs = needs
        self.start = start
    }

    /// The name.
    public var description: String { name }

    /// Runs this case on a subject, if it applies.
    ///
    /// An excluded case runs too, and fails when it passes, because the exclusion is obsolete then. A case that hangs
    /// or ends the process is not run.
    /// - Parameter limit: a timeout for hanging cases; long by default, for busy machines.
    /// - Throws: ``ConformanceFailure``, or `CancellationError` when the task is cancelled.
    @discardableResult
    public func check(_ subject: Subject, within limit: Duration = .seconds(600)) async throws -> ConformanceVerdict {
        if let missing = needs.subtracting(subject.capabilities).first { return .notApplicable("requires \(missing)") }
        guard let exclusion = subject.exclusions[name] else {
            try await run(on: subject, within: limit)
            return .passed
        }
        guard exclusion.effect == .fails else { return .excluded(exclusion.reason) }
        do {
            try await run(on: subject, within: limit)
        } catch is ConformanceFailure {
            return .excluded(exclusion.reason)
        }
        throw failure("passes; remove its exclusion: \(exclusion.reason)", of: subject)
    }

    /// Runs this case on a subject, regardless of its exclusions.
    /// - Throws: ``ConformanceFailure``, or `CancellationError` when the task is cancelled.
    public func run(on subject: Subject, within limit: Duration = .seconds(600)) async throws {
        let outcome = Watched<Result<Void, any Error>?>(nil)
        let end: End = { result in outcome.update { $0 = $0 ?? result } }
        let cancel = start(subject, end)
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
            throw failure(error.message, of: subject)
        } catch {
            throw failure("threw \(error)", of: subject)
        }
    }

    private func failure(_ message: String, of subject: Subject) -> ConformanceFailure {
        ConformanceFailure(message, caseName: name, subject: subject.name)
    }
}

extension ConformanceRequirement {
    /// A case that fails for exclusions whose case does not exist.
    /// - Parameter cases: all cases of the suite.
    package static func exclusionsNameCases(_ cases: @escaping @Sendable () -> [Self]) -> Self {
        Self("each exclusion names a case", needs: []) { subject, end in
            let unknown = Set(subject.exclusions.keys).subtracting(cases().map(\.name)).sorted()
            end(Result { try expect(unknown.isEmpty, "no such cases: \(unknown)") })
            return {}
        }
    }
}

import Foundation
@_exported public import PatchbayErrors
import Transport

/// One thing that a transport has to do.
///
/// Write one for what your own transports promise beside the cases of ``TransportConformance``:
///
/// ```swift
/// let stamped = ConformanceCase("a request is stamped") { subject in
///     try await subject.serving { $0.reply() } body: { rig in
///         _ = try await rig.send()
///         guard rig.requests[0].fields["X-Stamp"] == "1" else { throw ConformanceFailure("there is no stamp") }
///     }
/// }
/// ```
public struct ConformanceCase: Sendable, CustomStringConvertible {
    /// What has to be so. Exclusions go by this name.
    public let name: String
    /// What a subject has to have for the case to apply.
    public let needs: Set<ConformanceSubject.Ability>
    private let body: @Sendable (ConformanceSubject) async throws -> Void

    /// A case.
    /// - Parameter body: throws, best a ``ConformanceFailure``, when the subject does not conform.
    public init(
        _ name: String, needs: Set<ConformanceSubject.Ability> = [],
        _ body: @escaping @Sendable (ConformanceSubject) async throws -> Void
    ) {
        self.name = name
        self.needs = needs
        self.body = body
    }

    /// The name.
    public var description: String { name }

    /// Holds a subject against this case, unless the case does not apply to it.
    ///
    /// A case that is excluded is tried all the same, and fails when it passes: then the exclusion can go. Only one that
    /// hangs or ends the process is left alone.
    /// - Parameter limit: how long it may take; a call that hangs fails then. It is long by default, for a machine that
    ///   is busy with other things.
    /// - Throws: ``ConformanceFailure``, or `CancellationError` when the task is cancelled.
    @discardableResult
    public func check(
        _ subject: ConformanceSubject, within limit: Duration = .seconds(600)
    ) async throws -> ConformanceVerdict {
        if let missing = needs.subtracting(subject.abilities).first { return .notApplicable("there is no \(missing)") }
        guard let exclusion = subject.exclusions[name] else {
            try await run(on: subject, within: limit)
            return .passed
        }
        guard exclusion.effect == .fails else { return .excluded(exclusion.reason) }
        do {
            try await run(on: subject, within: limit)
        } catch let failure as ConformanceFailure where failure.caseName != nil {
            return .excluded(exclusion.reason)
        }
        throw failure(subject, "passes, so the exclusion can go which says: \(exclusion.reason)")
    }

    /// Holds a subject against this case, whatever it excludes.
    /// - Throws: ``ConformanceFailure``, or `CancellationError` when the task is cancelled.
    public func run(on subject: ConformanceSubject, within limit: Duration = .seconds(600)) async throws {
        let outcome = Watched<Result<Void, any Error>?>(nil)
        func end(_ result: Result<Void, any Error>) { outcome.update { $0 = $0 ?? result } }
        let work = Task {
            do { end(.success(try await body(subject))) } catch { end(.failure(error)) }
        }
        let timer = Task {
            let timeline = Timeline(ContinuousClock())
            guard (try? await timeline.sleep(until: limit)) != nil else { return }
            end(.failure(ConformanceFailure("did not end within \(limit)")))
        }
        // What hangs is left behind; whoever waits for it would hang as well.
        defer {
            timer.cancel()
            work.cancel()
        }
        do {
            try await outcome.wait { $0 != nil }?.get()
        } catch is CancellationError where Task.isCancelled {
            throw CancellationError()
        } catch let error as ConformanceFailure {
            throw failure(subject, error.message)
        } catch {
            throw failure(subject, "ended with \(error)")
        }
    }

    private func failure(_ subject: ConformanceSubject, _ message: String) -> ConformanceFailure {
        ConformanceFailure(message, caseName: name, subject: subject.name)
    }
}

/// What came of a case that did not fail.
public enum ConformanceVerdict: Hashable, Sendable {
    /// The subject conforms.
    case passed
    /// The subject lacks what the case needs, in words.
    case notApplicable(String)
    /// The subject is excluded, for this reason, and indeed does not conform.
    case excluded(String)
}

/// Says in which way a subject does not conform.
public struct ConformanceFailure: PatchbayError, Hashable {
    /// What kind of failure it is.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// The subject does not do what the case asks for.
        public static let notConforming = Code(name: "notConforming", number: 1)
    }

    /// What kind of failure it is.
    public var code: Code { .notConforming }
    /// What was not as it should be.
    public let message: String
    /// The case, once it is known.
    public let caseName: String?
    /// The subject, once it is known.
    public let subject: String?

    /// A failure. The case that ends with it adds its own name and the subject's.
    public init(_ message: String) { self.init(message, caseName: nil, subject: nil) }

    init(_ message: String, caseName: String?, subject: String?) {
        self.message = message
        self.caseName = caseName
        self.subject = subject
    }

    /// All of it.
    public var description: String {
        [subject, caseName.map { "\"\($0)\"" }, message].compactMap(\.self).joined(separator: ": ")
    }
}

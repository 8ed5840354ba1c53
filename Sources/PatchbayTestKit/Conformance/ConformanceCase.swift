import Foundation
@_exported public import PatchbayErrors

/// One requirement of a transport.
///
/// Write your own for what your transports guarantee beyond ``TransportConformance``:
///
/// ```swift
/// let stamped = ConformanceCase("adds X-Stamp") { subject in
///     try await subject.serving { $0.response() } body: { rig in
///         _ = try await rig.send()
///         guard rig.requests[0].fields["X-Stamp"] == "1" else { throw ConformanceFailure("X-Stamp is missing") }
///     }
/// }
/// ```
public struct ConformanceCase: Sendable, CustomStringConvertible {
    /// The requirement. Exclusions refer to this name.
    public let name: String
    /// The capabilities without which the case does not apply.
    public let needs: Set<ConformanceSubject.Capability>
    private let body: @Sendable (ConformanceSubject) async throws -> Void

    /// Creates a case.
    /// - Parameter body: throws, preferably a ``ConformanceFailure``, when the subject does not conform.
    public init(
        _ name: String, needs: Set<ConformanceSubject.Capability> = [],
        _ body: @escaping @Sendable (ConformanceSubject) async throws -> Void
    ) {
        self.name = name
        self.needs = needs
        self.body = body
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
    public func check(
        _ subject: ConformanceSubject, within limit: Duration = .seconds(600)
    ) async throws -> ConformanceVerdict {
        if let missing = needs.subtracting(subject.capabilities).first { return .notApplicable("requires \(missing)") }
        return try await conformanceRun(subject).check(subject.exclusions[name], within: limit)
    }

    /// Runs this case on a subject, regardless of its exclusions.
    /// - Throws: ``ConformanceFailure``, or `CancellationError` when the task is cancelled.
    public func run(on subject: ConformanceSubject, within limit: Duration = .seconds(600)) async throws {
        try await conformanceRun(subject).run(within: limit)
    }

    private func conformanceRun(_ subject: ConformanceSubject) -> ConformanceRun {
        ConformanceRun(caseName: name, subject: subject.name) { [body] end in
            let work = Task {
                do { end(.success(try await body(subject))) } catch { end(.failure(error)) }
            }
            return { work.cancel() }
        }
    }
}

/// The result of a case that did not fail.
public enum ConformanceVerdict: Hashable, Sendable {
    /// The subject conforms.
    case passed
    /// The subject lacks a capability; the text names it.
    case notApplicable(String)
    /// The subject is excluded, for this reason, and does not conform.
    case excluded(String)
}

/// The error of a subject that does not conform.
public struct ConformanceFailure: PatchbayError, Hashable {
    /// The kind of failure.
    public var code: Code { .notConforming }
    /// The deviation.
    public let message: String
    /// The name of the case, once known.
    public let caseName: String?
    /// The name of the subject, once known.
    public let subject: String?

    /// Creates a failure. The case adds its own name and the subject's.
    public init(_ message: String) { self.init(message, caseName: nil, subject: nil) }

    init(_ message: String, caseName: String?, subject: String?) {
        self.message = message
        self.caseName = caseName
        self.subject = subject
    }

    /// The subject, the case and the message.
    public var description: String {
        [subject, caseName.map { "\"\($0)\"" }, message].compactMap(\.self).joined(separator: ": ")
    }
}

extension ErrorCode where Failure == ConformanceFailure {
    /// The subject does not meet the requirement of the case.
    public static var notConforming: Self { Self(1) }
}

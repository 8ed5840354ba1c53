import Foundation
@_exported public import PatchbayErrors

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

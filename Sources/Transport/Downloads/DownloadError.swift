public import Foundation
public import HTTPMessages

/// Why a download left no file, when the reason is not the transfer itself.
///
/// `description` names the file, without its folders, and holds no secrets.
public struct DownloadError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        /// The code's name, as it is written in Swift.
        public var description: String { name }

        /// The target is not a file on this machine: a folder, a device, or a URL of another scheme.
        public static let invalidTarget = Code("invalidTarget")
        /// The target's folder does not exist.
        public static let missingFolder = Code("missingFolder")
        /// This process may not write there.
        public static let notWritable = Code("notWritable")
        /// There is no room left.
        public static let diskFull = Code("diskFull")
        /// Writing failed otherwise; see ``DownloadError/underlying``.
        public static let fileFailure = Code("fileFailure")
        /// Another download writes the same partial file.
        public static let inUse = Code("inUse")
        /// Resuming was asked for with a request that cannot be resumed: only a GET without a body and a `Range` can.
        public static let notResumable = Code("notResumable")
        /// The response is longer than ``DownloadOptions/maximumBytes``.
        public static let tooLarge = Code("tooLarge")
        /// The status says that this is not the file; see ``DownloadError/head``.
        public static let unacceptableStatus = Code("unacceptableStatus")
        /// The server sent another part than it was asked for, or a part where the whole was asked for.
        public static let unexpectedRange = Code("unexpectedRange")
    }

    /// What kind of failure it is.
    public let code: Code
    /// What happened, for a developer.
    public let message: String
    /// The head of the response, when it had come before the failure.
    public var head: HTTPResponseHead?
    /// The start of the response's body, at most 1 KiB, when the status was the reason.
    public var bodyPrefix: Data
    /// The system's own error.
    public var underlying: (any Error)?

    /// Makes an error. `message` must not hold secrets.
    public init(
        _ code: Code, _ message: String, head: HTTPResponseHead? = nil, bodyPrefix: Data = Data(),
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.head = head
        self.bodyPrefix = Data(bodyPrefix.prefix(1024))
        self.underlying = underlying
    }

    /// The message and the code.
    public var description: String { "\(message) [\(code)]" }
}

extension DownloadError: CustomReflectable {
    /// Shows what ``description`` shows.
    public var customMirror: Mirror { Mirror(self, children: ["error": description]) }
}

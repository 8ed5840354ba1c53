public import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors

/// Why a download left no file, when the reason is not the transfer itself.
///
/// `description` names the file, without its folders, and holds no secrets; of a refused status it shows the first 200
/// characters of a text body, as `ResponseDecodingError` does.
public struct DownloadError: PatchbayError {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// The target is not a file on this machine: a folder, a device, or a URL of another scheme.
        public static let invalidTarget = Code(name: "invalidTarget", number: 1)
        /// The target's folder does not exist.
        public static let missingFolder = Code(name: "missingFolder", number: 2)
        /// This process may not write there.
        public static let notWritable = Code(name: "notWritable", number: 3)
        /// There is no room left.
        public static let diskFull = Code(name: "diskFull", number: 4)
        /// Writing failed otherwise; see ``DownloadError/underlying``.
        public static let fileFailure = Code(name: "fileFailure", number: 5)
        /// Another download writes the same partial file.
        public static let inUse = Code(name: "inUse", number: 6)
        /// Resuming was asked for with a request that cannot be resumed: only a GET without a body and a `Range` can.
        public static let notResumable = Code(name: "notResumable", number: 7)
        /// The response is longer than ``DownloadOptions/maximumBytes``.
        public static let tooLarge = Code(name: "tooLarge", number: 8)
        /// The status says that this is not the file; see ``DownloadError/head``.
        public static let unacceptableStatus = Code(name: "unacceptableStatus", number: 9)
        /// The server sent another part than it was asked for, or a part where the whole was asked for.
        public static let unexpectedRange = Code(name: "unexpectedRange", number: 10)
    }

    /// What kind of failure it is.
    public let code: Code
    /// What happened, for a developer.
    public let message: String
    /// The head of the response, when it had come before the failure.
    public var head: HTTPResponseHead?
    /// The start of the response's body, at most 1 KiB, when the status was the reason.
    public var bodyPrefix: Data
    /// The method and URL of the request, without secrets.
    public var request: String?
    /// The URL of the request, without secrets.
    public var failingURL: String?
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

    /// The request, the message, the first words of the response when its status was the reason, and the code.
    public var description: String {
        let words = code == .unacceptableStatus ? BodyExcerpt.text(of: bodyPrefix, as: head?.mediaType) : nil
        let text = words.map { "\(message): \($0)" } ?? message
        return "\(request.map { "\($0): " } ?? "")\(text) [\(code)]"
    }
}

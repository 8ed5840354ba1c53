public import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors

/// A download failure other than a transport error.
///
/// `description` contains the file name without its folder, and no secrets. For an unacceptable status it includes the
/// first 200 characters of a text body, as `ResponseDecodingError` does.
public struct DownloadError: ValueFreeError {
    /// The kind of failure.
    public let code: Code
    /// What happened, for a developer.
    public let message: String
    /// The response head, if it arrived before the failure.
    public var head: HTTPResponseHead?
    /// The first bytes of the response body, at most 1 KiB, for `unacceptableStatus`.
    public var bodyPrefix: Data
    /// The method and redacted URL of the request.
    public var request: String?
    /// The redacted URL of the request.
    public var failingURL: String?
    /// The system's error.
    public var underlying: (any Error)?

    /// Creates an error. `message` must not contain secrets.
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

    /// The request, the message, a body excerpt for `unacceptableStatus`, and the code.
    public var description: String {
        let words = code == .unacceptableStatus ? BodyExcerpt.text(of: bodyPrefix, as: head?.mediaType) : nil
        let text = words.map { "\(message): \($0)" } ?? message
        return "\(request.map { "\($0): " } ?? "")\(text) [\(code)]"
    }
}

extension DownloadError: StatusCarrying {
    /// The status of the response that came before the failure, or nil.
    package var responseStatus: HTTPStatus? { head?.status }
}

extension ErrorCode where Failure == DownloadError {
    /// The target is a folder, a device, a broken symbolic link, or not a file URL.
    public static var invalidTarget: Self { Self(1) }
    /// The target's folder does not exist.
    public static var missingFolder: Self { Self(2) }
    /// The process lacks write permission, or the file system is read-only.
    public static var notWritable: Self { Self(3) }
    /// The disk or the quota is full.
    public static var diskFull: Self { Self(4) }
    /// Another write failure; see ``DownloadError/underlying``.
    public static var fileFailure: Self { Self(5) }
    /// Another download uses the same partial file.
    public static var inUse: Self { Self(6) }
    /// The request cannot be resumed: only a GET without a body and without a `Range` can.
    public static var notResumable: Self { Self(7) }
    /// The response is larger than ``DownloadOptions/maximumBytes``.
    public static var tooLarge: Self { Self(8) }
    /// The status is not 2xx; see ``DownloadError/head``.
    public static var unacceptableStatus: Self { Self(9) }
    /// The server sent a range other than the requested one.
    public static var unexpectedRange: Self { Self(10) }
    /// The content does not have the expected digest.
    public static var digestMismatch: Self { Self(11) }
    /// The server sent no digest, which ``DownloadDigest/required`` demands.
    public static var noDigest: Self { Self(12) }
}

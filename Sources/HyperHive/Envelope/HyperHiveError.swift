import Foundation
@_exported public import PatchbayErrors

/// Error of a call. Its ``result`` is the vendor's envelope for it.
public struct HyperHiveError: PatchbayError {
    /// The kind of error.
    public let code: Code
    /// What is wrong and what to do, for developers.
    public let message: String
    /// The envelope: the source, the code and the response, if one was received.
    public internal(set) var result: HyperHiveResult
    /// The cause, such as a `TransportError` or a `StoreError`.
    public let underlying: (any Error)?

    init(_ code: Code, _ message: String, result: HyperHiveResult, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.result = result
        self.underlying = underlying
    }

    /// The redacted URL of the request; nil when nothing was sent.
    public var failingURL: String? { result.request.url ?? (underlying as? any PatchbayError)?.failingURL }
}

extension ErrorCode where Failure == HyperHiveError {
    /// The client is not configured, or its host is not a URL.
    public static var configuration: Self { Self(1) }
    /// An argument is invalid; nothing was sent.
    public static var invalidArgument: Self { Self(2) }
    /// The server responded with 401: no token, an expired token, or a wrong login or password.
    public static var unauthorized: Self { Self(3) }
    /// The server responded with another status than 2xx and 401.
    public static var status: Self { Self(4) }
    /// No response was received, or its body was cut.
    public static var transport: Self { Self(5) }
    /// The response is not of the documented structure. Nothing was changed.
    public static var malformedResponse: Self { Self(6) }
    /// The server's schema does not have the resource.
    public static var unknownResource: Self { Self(7) }
    /// The local database failed, or is not open. Nothing was changed.
    public static var database: Self { Self(8) }
    /// The tables are in use, or were changed since the request; call again.
    ///
    /// Another call uses them that this one cannot wait for, or another process or client has changed them.
    public static var busy: Self { Self(9) }
    /// The call was cancelled. Nothing was changed.
    public static var cancelled: Self { Self(10) }
}

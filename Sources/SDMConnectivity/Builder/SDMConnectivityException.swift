public import Foundation
@_exported public import PatchbayErrors

/// The error where the vendor raised an Objective-C exception, which Swift cannot catch.
public struct SDMConnectivityException: PatchbayError {
    /// The kind of error.
    public let code: Code
    /// What is wrong and what to do, for developers.
    public let message: String
    /// The cause, if there is one.
    public let underlying: (any Error)?
    /// The status of the response; 0 without one.
    public let statusCode: Int

    init(_ code: Code, _ message: String, underlying: (any Error)? = nil, statusCode: Int = 0) {
        self.code = code
        self.message = message
        self.underlying = underlying
        self.statusCode = statusCode
    }

    /// The vendor's name of the exception, such as `ThreadCountTooHigh`.
    public var name: String { Self.names[code] ?? code.name }
    /// The cause, under the vendor's name.
    public var error: NSError? { underlying.map(\.redactedNSError) }
    /// ``message``, under the vendor's name.
    public var detailedError: String { message }

    private static let names: [Code: String] = [
        .threadCountTooHigh: ThreadCountTooHigh, .invalidRequestType: InvalidRequestType,
        .sapPassportFailure: SAPPassportFailure, .requestInitError: RequestInitError,
        .supRequestInitError: SUPRequestInitError,
    ]
}

extension SDMConnectivityException {
    /// The error of a limit above ``MAX_CONCURRENT_THREADS``.
    static func threadCountTooHigh(_ count: Int) -> SDMConnectivityException {
        SDMConnectivityException(
            .threadCountTooHigh,
            "\(count) concurrent requests are too many; use at most MAX_CONCURRENT_THREADS (\(MAX_CONCURRENT_THREADS))."
        )
    }
}

extension ErrorCode where Failure == SDMConnectivityException {
    /// More concurrent requests than ``MAX_CONCURRENT_THREADS``.
    public static var threadCountTooHigh: Self { Self(1) }
    /// A number that is not a request type.
    public static var invalidRequestType: Self { Self(2) }
    /// The `SAP-PASSPORT` of a traced request cannot be made.
    public static var sapPassportFailure: Self { Self(3) }
    /// A request cannot be made.
    public static var requestInitError: Self { Self(4) }
    /// The SUP messaging channel was required, which this library does not have.
    public static var supRequestInitError: Self { Self(5) }
}

import Foundation
import HTTPMessages
import OData
@_exported public import PatchbayErrors

/// The error of an application connection; the numbers are the vendor's.
public struct SMPError: PatchbayError {
    /// The kind of error.
    public let code: Code
    /// What is wrong and what to do, for developers.
    public let message: String
    /// The cause, such as an ``SDMError`` or an ``/OData/ODataError``.
    public let underlying: (any Error)?
    /// The status of the response, such as 401, or 407 of a proxy, for credentials that are missing or wrong; nil
    /// without a response.
    public let statusCode: Int?

    init(_ code: Code, _ message: String, underlying: (any Error)? = nil, statusCode: Int? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
        self.statusCode = statusCode
    }
}

extension ErrorCode where Failure == SMPError {
    /// The app has no application connection; register a user first.
    public static var notRegistered: Self { Self(70001) }
    /// The vendor's code for the password policy of a local database, which does not exist here.
    public static var passwordPolicy: Self { Self(70002) }
    /// The vendor's code for the endpoint of push notifications, which this library does not receive.
    public static var pushEndpoint: Self { Self(70003) }
    /// A user, a password, a host or an identifier is empty, or an identifier is too long.
    public static var emptyParameters: Self { Self(70004) }
    /// A property that only the server may set.
    public static var notEditable: Self { Self(70005) }
    /// The vendor's code for a missing customization bundle, which the REST interface does not have.
    public static var customizationBundleMissing: Self { Self(70006) }
    /// The vendor's code for an invalid customization bundle, which the REST interface does not have.
    public static var customizationBundleInvalid: Self { Self(70007) }
    /// The server's response cannot be decoded.
    public static var parser: Self { Self(70008) }
    /// The server refused the request, or it failed; see ``SMPError/underlying``.
    public static var internalError: Self { Self(71000) }
    /// The store of the registration failed; see ``SMPError/underlying``.
    public static var store: Self { Self(71000) }
    /// A feature of the messaging channel, which is not published.
    public static var unsupported: Self { Self(71000) }
}

extension SMPError {
    /// The error for a response of another status than expected.
    init(refused response: HTTPResponse, by operation: String) {
        let error = ODataError(refused: response)
        self.init(
            .internalError, "\(operation) was refused: \(error.message)", underlying: error,
            statusCode: response.status.code)
    }

    /// Maps an error of the layers below.
    /// - Parameter statusCode: that of the last response, which counts for missing or wrong credentials; before
    ///   another failure, it may be that of an earlier attempt.
    init(_ error: any Error, statusCode: Int? = nil) {
        switch error {
        case let error as SMPError: self = error
        case let error as ODataError: self.init(.parser, error.message, underlying: error)
        case let error as SDMError:
            self.init(
                .internalError, error.message, underlying: error,
                statusCode: error.code == .authentication ? statusCode : nil)
        case let error as any ValueFreeError: self.init(.internalError, error.message, underlying: error)
        default: self.init(.internalError, "Unexpected error; see the underlying error.", underlying: error)
        }
    }
}

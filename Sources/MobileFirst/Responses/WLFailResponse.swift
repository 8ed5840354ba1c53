import Foundation
public import HTTPMessages

/// The vendor's pure-Swift name; both names are one class.
public typealias WLFailResponseSwift = WLFailResponse

/// The response of a failed call, with its status, headers and body if one was received.
open class WLFailResponse: WLResponse, @unchecked Sendable {
    /// Creates a failed response.
    public init(_ response: HTTPResponse?, error: WLError, invocationContext: Any? = nil) {
        super.init(response, error: error, invocationContext: invocationContext)
    }

    convenience init(_ error: WLError, invocationContext: Any? = nil) {
        self.init(error.response?.httpResponse, error: error, invocationContext: invocationContext)
    }

    private var failure: WLError? { error as? WLError }

    /// The server's `errorMsg`, or the text of the error.
    open var errorMsg: String! { jsonObject?["errorMsg"]?.string ?? failure?.message }

    /// The server's `errorCode`, or the vendor's text for the error, such as `REQUEST_TIMEOUT`.
    open var errorCode: String! { jsonObject?["errorCode"]?.string ?? failure?.vendorCode }

    /// The vendor's number for the kind of failure.
    open var clientErrorCode: WLClientErrorCode {
        switch failure?.code {
        case .procedure: .procedureError
        case .invalidRequest, .unresponsiveHost, .requestTimeout: .submitFailure
        default: .unexpectedError
        }
    }

    /// A text for a code of ``clientErrorCode``.
    open class func getErrorMessage(from code: WLClientErrorCode) -> String {
        switch code {
        case .unexpectedError: "Unexpected error."
        case .procedureError: "The procedure failed; see `errors` in the response."
        case .submitFailure: "The request could not be sent, or got no response."
        }
    }

    /// The text of a JSON body of the server: `errorMsg`, or the elements of `errors`.
    open class func getErrorMessage(fromJSON json: [AnyHashable: Any]!) -> String! {
        if let message = json?["errorMsg"] as? String { return message }
        guard let errors = json?["errors"] as? [Any], !errors.isEmpty else { return nil }
        return errors.map { "\($0)" }.joined(separator: "; ")
    }

    /// The kind of failure that a JSON body of the server reports.
    open class func getWLErrorCode(fromJSON json: [AnyHashable: Any]!) -> WLClientErrorCode {
        json?["isSuccessful"] as? Bool == false ? .procedureError : .unexpectedError
    }
}

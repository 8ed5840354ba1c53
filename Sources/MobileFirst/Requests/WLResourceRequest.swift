public import Foundation
import HTTPMessages
public import PatchbayErrors

/// `GET`
public let WLHttpMethodGet = "GET"  // swift-format-ignore: AlwaysUseLowerCamelCase
/// `POST`
public let WLHttpMethodPost = "POST"  // swift-format-ignore: AlwaysUseLowerCamelCase
/// `PUT`
public let WLHttpMethodPut = "PUT"  // swift-format-ignore: AlwaysUseLowerCamelCase
/// `DELETE`
public let WLHttpMethodDelete = "DELETE"  // swift-format-ignore: AlwaysUseLowerCamelCase

/// A request to an adapter of the MobileFirst server, or to another server that takes part in its security.
///
/// ```swift
/// let request = WLResourceRequest(url: URL(string: "/adapters/Bank/balance"), method: WLHttpMethodGet)
/// request?.setQueryParameterValue("42", forName: "account")
/// request?.send { response, error in print(response?.responseText ?? "", error ?? "") }
/// ```
/// As Swift imports the vendor's class, which has no nullability: the vendor's initializers are `init!`, which never
/// returns nil here, and other optionals are implicitly unwrapped. ``WLResourceRequestSwift`` is without.
///
/// A token is obtained when the server asks for one, with the registered challenge handlers. Each call sends a copy of
/// the request, so later changes have no effect on it. Not thread-safe.
open class WLResourceRequest {
    /// `GET`
    public static let WLHttpMethodGet = "GET"  // swift-format-ignore: AlwaysUseLowerCamelCase
    /// `POST`
    public static let WLHttpMethodPost = "POST"  // swift-format-ignore: AlwaysUseLowerCamelCase
    /// `PUT`
    public static let WLHttpMethodPut = "PUT"  // swift-format-ignore: AlwaysUseLowerCamelCase
    /// `DELETE`
    public static let WLHttpMethodDelete = "DELETE"  // swift-format-ignore: AlwaysUseLowerCamelCase

    /// The client that sends the request; default ``WLClient/sharedInstance()``.
    public let client: WLClient
    /// The URL as it was passed. Relative ones are below `/api` of the server; nil is an error when the request is
    /// sent.
    public let url: URL!
    /// The method, such as `GET`; nil is an error when the request is sent.
    public let httpMethod: String!
    /// The scope whose token is obtained before the first send; nil if the server names it.
    public let scope: String!
    /// The backend service of the API Connector; nil for an adapter or an absolute URL.
    public let backendServiceName: String!
    /// The encoding of text bodies, as the raw value of a `String.Encoding`; default UTF-8.
    public var stringEncoding: UInt = String.Encoding.utf8.rawValue

    var query: RequestQuery
    var headerLines: [(name: String, value: String)] = []
    /// The first invalid header or parameter, with which every send fails.
    var failure: WLError?
    private var timeout: TimeInterval?

    /// Creates a request for a client: all other initializers call this one.
    /// - Parameters:
    ///   - url: a path below `/api` of the server, such as `/adapters/Bank/balance`, or an absolute http or https URL.
    ///     Its query becomes ``queryParameters``.
    ///   - method: `GET`, `POST`, `PUT`, `DELETE` or another method of HTTP.
    ///   - scope: obtains the token of this scope first; default nil.
    ///   - timeout: see ``timeoutInterval``; nil is the client's default.
    ///   - backendServiceName: see ``WLConfiguration/backendServiceURL``.
    public init(
        url: URL?, method: String?, scope: String?, timeout: TimeInterval?, backendServiceName: String?,
        client: WLClient
    ) {
        self.client = client
        self.url = url
        httpMethod = method
        self.scope = scope
        self.timeout = timeout
        self.backendServiceName = backendServiceName
        query = RequestQuery(parsing: url.flatMap { URLReference($0.absoluteString[...]).query } ?? "")
    }

    /// The time without progress after which the call fails with `requestTimeout`; default that of the client.
    ///
    /// **In seconds**, as the vendor's iOS header says. The vendor's tutorial says milliseconds: an app that follows it
    /// sets ``WLConfiguration/timeoutUnit``. A value of 1000 or more in seconds is reported to
    /// ``WLConfiguration/warn``. The time for obtaining a token is not included; see ``WLConfiguration/loginTimeout``.
    public var timeoutInterval: TimeInterval {
        get { timeout ?? client.defaultRequestTimeoutInterval * client.configuration.timeoutUnit.perSecond }
        set { timeout = newValue }
    }

    // MARK: Query

    /// The query parameters by name, with those of the URL; a name with several values has an array of strings.
    ///
    /// Setting it replaces all; an array is several values of its name.
    public var queryParameters: [AnyHashable: Any]! {
        get { query.values }
        set {
            do {
                query = try RequestQuery(newValue ?? [:])
            } catch {
                fail("Invalid query parameters: \(error.message)")
            }
        }
    }

    /// The encoded query, as it is sent; empty without parameters.
    open func getQueryString() -> String! { query.text }

    /// Sets a query parameter, and replaces all values of that name.
    /// - Parameter value: a string, sent as it is; other values are encoded as JSON, nil sends the name only.
    public func setQueryParameterValue(_ value: Any?, forName name: String!) {
        guard let name else { return fail("The name of a query parameter is nil; use a String.") }
        do {
            query.set(name, to: try JSONValue(foundation: value as Any).parameterText)
        } catch {
            fail("Invalid query parameter \(name): \(error.message)")
        }
    }

    /// ``setQueryParameterValue(_:forName:)`` with the label of the vendor's Swift class.
    public func setQueryParameterValue(parameterValue: Any?, forName name: String!) {
        setQueryParameterValue(parameterValue, forName: name)
    }

    // MARK: Headers

    /// The names of all headers; initially empty.
    open func headerNames() -> [String]! { headerLines.map(\.name) }

    /// The values of a header, split at commas; empty without it.
    open func headers(forName name: String!) -> [String]! {
        guard let name, let value = headerLines.first(where: { $0.name.isSameHeader(as: name) })?.value else {
            return []
        }
        return value.split(separator: ",").map { String($0).trimmingHTTPWhitespace }
    }

    /// The first value of a header; empty without it, as in the vendor's Swift class.
    open func header(forName name: String!) -> String! { headers(forName: name).first ?? "" }

    /// Keeps an error with which every send fails, unless there is an earlier one.
    func fail(_ message: String) { failure = failure ?? WLError(.invalidRequest, message) }
}

extension WLResourceRequest: RedactedStringConvertible {
    /// Method and redacted URL, without the parameters that the app sets.
    public var description: String {
        "\(httpMethod ?? "(no method)") \(url.map(Redaction.standard.redacted(_:)) ?? "(no URL)")"
    }
}

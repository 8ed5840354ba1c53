public import Foundation
public import HTTPMessages
public import ResponseDecoding

/// The vendor's pure-Swift name; both names are one class.
public typealias WLResponseSwift = WLResponse

/// A response of the server.
///
/// A completion handler gets one with every status 2xx; with any other status it gets a ``WLFailResponse`` and an
/// error. Immutable: the vendor's setters do not exist. Optionals are implicitly unwrapped, as Swift imports the
/// vendor's class.
open class WLResponse: CustomStringConvertible, CustomReflectable, @unchecked Sendable {
    // Unchecked because the class is open and holds values of any type; nothing here changes after the initializer.

    /// The response as an `HTTPResponse`; nil if none was received.
    public let httpResponse: HTTPResponse?
    /// The error of a failure; default nil.
    public let error: (any Error)!
    /// The value that the app passed with a legacy call, as `WLInvocationContext`; default nil.
    public let invocationContext: Any!

    /// Creates a response.
    public init(_ response: HTTPResponse?, error: (any Error)? = nil, invocationContext: Any? = nil) {
        httpResponse = response
        self.error = error
        self.invocationContext = invocationContext
    }

    /// Creates an empty response, without a status.
    public convenience init() { self.init(nil) }

    /// The status code; 0 without a response.
    open var status: Int { httpResponse?.status.code ?? 0 }

    /// The body as text; empty without a body. Bytes that are invalid in the charset are replaced by U+FFFD.
    open var responseText: String! {
        guard let httpResponse else { return "" }
        return (try? TextResponseDecoder(invalidBytes: .replace).decode(httpResponse))
            ?? String(decoding: httpResponse.body, as: UTF8.self)
    }

    /// The body as a JSON object; nil if it is not one.
    ///
    /// A top-level array or scalar is not an object: use ``responseText``, ``responseData`` or
    /// ``decode(_:)``.
    open var responseJSON: [AnyHashable: Any]! { jsonObject?.foundationMembers }

    /// The body; nil without a response.
    open var responseData: Data! { httpResponse?.body }

    /// The header fields, with fields of one name joined by commas; nil without a response.
    open var headers: [AnyHashable: Any]! {
        guard let httpResponse else { return nil }
        var lines: [HTTPFieldName: String] = [:]
        for field in httpResponse.fields where lines[field.name] == nil {
            lines[field.name] = httpResponse.fields[field.name]
        }
        return Dictionary(lines.map { (AnyHashable($0.key.rawName), $0.value as Any) }) { first, _ in first }
    }

    /// The result of a legacy procedure call: ``responseJSON``.
    open var invocationResult: [AnyHashable: Any]! { responseJSON }

    /// Additional data; always nil.
    open var userInfoDict: [AnyHashable: Any]! { nil }

    /// ``responseJSON``.
    @available(*, deprecated, renamed: "responseJSON")
    open func getResponseJson() -> [AnyHashable: Any]! { responseJSON }

    /// Decodes the body: `response.decode(.json(Item.self))`.
    /// - Throws: ``WLError`` (`parse`).
    public func decode<Output>(_ decoder: some ResponseDecoder<Output>) throws(WLError) -> Output {
        guard let httpResponse else {
            throw WLError(.parse, "There is no response to decode; check `error` first.", response: self)
        }
        do {
            return try decoder.decode(httpResponse)
        } catch {
            let reason = (error as? ResponseDecodingError)?.messageWithoutBody ?? "See the underlying error."
            throw WLError(.parse, "The body cannot be decoded: \(reason)", response: self, underlying: error)
        }
    }

    /// The body as a JSON object.
    var jsonObject: [String: JSONValue]? {
        guard let httpResponse, !httpResponse.body.isEmpty else { return nil }
        return (try? JSONValue(parsing: httpResponse.jsonBody))?.object
    }

    /// Status, redacted URL and body length; never the body.
    public var description: String { httpResponse?.description ?? "no response" }
    /// Same content as ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}

extension [String: JSONValue] {
    /// The members as Foundation objects, as the vendor's dictionaries.
    var foundationMembers: [AnyHashable: Any] {
        Dictionary<AnyHashable, Any>(uniqueKeysWithValues: map { (AnyHashable($0.key), $0.value.foundationObject) })
    }
}

public import HTTPMessages

/// Decoder of a buffered response.
///
/// *Use* one through ``HTTPMessages/HTTPResponse/decoded(as:)``, which accepts 2xx unless the decoder's ``validation``
/// differs:
///
/// ```swift
/// let items = try response.decoded(as: .json([Item].self))
/// let page = try response.decoded(as: .validated(.text(), by: .standard.accepting(.notFound)))
/// ```
///
/// *Choose* `.json(_:)` for your own types, `.jsonValue` for any JSON, `.text()`, `.data`, or `.empty` for no value.
/// *Implement* it as a struct that stores its settings and throws ``ResponseDecodingError``, with a static member on
/// this protocol:
///
/// ```swift
/// extension ResponseDecoder where Self == XMLResponseDecoder {
///     static var xml: XMLResponseDecoder { XMLResponseDecoder() }
/// }
/// ```
public protocol ResponseDecoder<Output>: Sendable {
    /// The type of the decoded value.
    associatedtype Output: Sendable

    /// The check before ``HTTPMessages/HTTPResponse/decoded(as:)`` decodes; default 2xx.
    var validation: ResponseValidation { get }

    /// Decodes a response. May be called by several threads at once.
    /// - Throws: ``ResponseDecodingError``, or another error of the implementation.
    func decode(_ response: HTTPResponse) throws -> Output
}

extension ResponseDecoder {
    /// Accepts 2xx with any media type.
    public var validation: ResponseValidation { .standard }
}

extension HTTPResponse {
    /// Validates and decodes this response.
    ///
    /// A status other than 2xx is an error; use `.validated(_:by:)` to accept others.
    /// - Throws: ``ResponseDecodingError``, or another error of the decoder.
    public func decoded<Decoder: ResponseDecoder>(as decoder: Decoder) throws -> Decoder.Output {
        try decoder.validation.validate(self)
        return try decoder.decode(self)
    }

    /// Unavailable; suggests a decoder.
    @available(*, unavailable, message: "name the format: decoded(as: .json(Item.self)), .text() or .data")
    public func decoded<Value>(as type: Value.Type) throws -> Value { throw CancellationError() }
}

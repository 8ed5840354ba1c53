public import HTTPMessages

/// Turns a whole response into a value.
///
/// *Use* one through ``HTTPMessages/HTTPResponse/decoded(as:)``, which accepts 2xx unless the decoder says otherwise:
///
/// ```swift
/// let items = try response.decoded(as: .json([Item].self))
/// let page = try response.decoded(as: .validated(.text(), by: .standard.accepting(.notFound)))
/// ```
///
/// *Choose* `.json(_:)` for types of your own, `.jsonValue` for any JSON, `.text()`, `.data`, or `.empty` for no value.
/// *Implement* it as a struct that keeps its settings, throws ``ResponseDecodingError``, and is offered as a static
/// member of this protocol:
///
/// ```swift
/// extension ResponseDecoder where Self == XMLResponseDecoder {
///     static var xml: XMLResponseDecoder { XMLResponseDecoder() }
/// }
/// ```
public protocol ResponseDecoder<Output>: Sendable {
    /// What a response is turned into.
    associatedtype Output: Sendable

    /// Which responses ``HTTPMessages/HTTPResponse/decoded(as:)`` decodes; 2xx by default.
    var validation: ResponseValidation { get }

    /// The value of a response. May be called by several threads at once.
    /// - Throws: ``ResponseDecodingError``, or what an implementation says.
    func decode(_ response: HTTPResponse) throws -> Output
}

extension ResponseDecoder {
    /// 2xx, with any media type.
    public var validation: ResponseValidation { .standard }
}

extension HTTPResponse {
    /// The value that a decoder makes of this response.
    ///
    /// A status other than 2xx is an error; `.validated(_:by:)` accepts others.
    /// - Throws: ``ResponseDecodingError`` (`unacceptableStatus`); what the decoder throws, as a rule
    ///   ``ResponseDecodingError``.
    public func decoded<Decoder: ResponseDecoder>(as decoder: Decoder) throws -> Decoder.Output {
        try decoder.validation.validate(self)
        return try decoder.decode(self)
    }

    /// Says how a type is asked for.
    @available(*, unavailable, message: "name the format: decoded(as: .json(Item.self)), .text() or .data")
    public func decoded<Value>(as type: Value.Type) throws -> Value { throw CancellationError() }
}

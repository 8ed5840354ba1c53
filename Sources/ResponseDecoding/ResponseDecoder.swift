public import HTTPMessages

/// Turns a whole response into a value.
///
/// *Use* one through ``HTTPMessages/HTTPResponse/decoded(as:)``:
///
/// ```swift
/// let items = try response.decoded(as: .json([Item].self))
/// let page = try response.decoded(as: .validated(.text()))
/// ```
///
/// *Choose* `.json(_:)` for types of your own, `.jsonValue` for any JSON, `.text()`, `.data`, or `.empty` when nothing
/// is wanted; none of them looks at the status, so wrap them in `.validated(_:by:)` unless you did that yourself.
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

    /// The value of a response. May be called by several threads at once.
    /// - Throws: ``ResponseDecodingError``, or what an implementation says.
    func decode(_ response: HTTPResponse) throws -> Output
}

extension HTTPResponse {
    /// The value that a decoder makes of this response.
    /// - Throws: what the decoder throws, as a rule ``ResponseDecodingError``.
    public func decoded<Decoder: ResponseDecoder>(as decoder: Decoder) throws -> Decoder.Output {
        try decoder.decode(self)
    }
}

public import Foundation
public import HTTPMessages
import JSON
public import RequestModel

/// The body of a call: bytes, a file, a form, or a value that the client encodes.
public struct EndpointBody: Sendable {
    enum Content: Sendable {
        case body(RequestBody)
        case json(any Encodable & Sendable)
        case parts([Multipart.Part])
        /// What the text names, in the settings of the client.
        case elements(String, @Sendable (JSONCoding) -> RequestBody)
    }

    let content: Content

    /// A body that is made already.
    public init(_ body: RequestBody) { content = .body(body) }

    private init(_ content: Content) { self.content = content }

    /// A body whose elements are written as JSON.
    init(_ name: String, _ make: @escaping @Sendable (JSONCoding) -> RequestBody) { content = .elements(name, make) }

    /// No body.
    public static let empty = EndpointBody(.empty)

    /// A value, encoded by ``APIClient/json`` when the call is made; `null` for a nil.
    public static func json(_ value: some Encodable & Sendable) -> EndpointBody { EndpointBody(.json(value)) }

    /// Parameters as an HTML form sends them (`application/x-www-form-urlencoded`).
    public static func form(_ items: Query) -> EndpointBody { EndpointBody(Form(items).body) }

    /// The parts of a form with files (`multipart/form-data`).
    public static func multipart(_ parts: Multipart.Part...) -> EndpointBody { EndpointBody(.parts(parts)) }

    /// The parts of a form with files (`multipart/form-data`), in an array.
    public static func multipart(_ parts: [Multipart.Part]) -> EndpointBody { EndpointBody(.parts(parts)) }

    /// Bytes in memory.
    public static func bytes(_ data: Data, mediaType: MediaType? = .octetStream) -> EndpointBody {
        EndpointBody(.bytes(data, mediaType: mediaType))
    }

    /// A string in UTF-8.
    public static func text(_ text: String, mediaType: MediaType? = .plainText) -> EndpointBody {
        EndpointBody(.text(text, mediaType: mediaType))
    }

    /// A file, streamed from disk while it is sent.
    /// - Throws: `HTTPMessageError` (`unreadableFile`).
    public static func file(
        at url: URL, mediaType: MediaType? = .octetStream
    ) throws(HTTPMessageError) -> EndpointBody {
        EndpointBody(try .file(at: url, mediaType: mediaType))
    }

    /// The body as it is sent.
    /// - Throws: `HTTPMessageError` (`invalidJSON`, and what is wrong with a part).
    func encoded(by json: JSONFormat) throws(HTTPMessageError) -> RequestBody {
        switch content {
        case .body(let body): body
        case .json(let value): try json.body(of: value)
        case .parts(let parts): try Multipart(parts).body()
        case .elements(_, let make): make(json.coding ?? .standard)
        }
    }
}

extension EndpointBody: CustomStringConvertible, CustomReflectable {
    /// The kind of body; never its bytes.
    public var description: String {
        switch content {
        case .body(let body): body.description
        case .json(let value): "JSON of \(type(of: value))"
        case .parts(let parts): "\(parts.count) parts"
        case .elements(let name, _): name
        }
    }
    /// Same content as the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

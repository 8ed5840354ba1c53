public import Foundation

/// An entry of an OData service with its decoded properties.
public struct ODataEntry<Value> {
    /// The identifier, a URL.
    public let id: String?
    /// The entity tag, for `If-Match`.
    public let etag: String?
    /// The qualified name of the entity type.
    public let type: String?
    /// The links; also `next` of each expanded property of which the server sent only a part.
    public let links: [ODataLink]
    /// The URL for changes; relative if the document has no base.
    public let editLink: String?
    /// The URL of the media resource of a media link entry.
    public let mediaLink: String?
    /// The media type of that resource.
    public let mediaType: String?
    /// The properties.
    public let value: Value
}

extension ODataEntry: Sendable where Value: Sendable {}
extension ODataEntry: Equatable where Value: Equatable {}
extension ODataEntry: Hashable where Value: Hashable {}

extension ODataEntry where Value: Decodable {
    /// Decodes an entry in Atom, in the JSON of OData 2, or in that of OData 3 and 4.
    ///
    /// `Value` may have properties of the types `String`, numbers, `Bool`, `Decimal`, `Date`, `Data`, `UUID`, `URL`,
    /// `JSONValue`, complex types, and expanded navigation properties. A deferred navigation property counts as
    /// missing. A number of JSON with digits that a `Double` does not hold is text, which `Decimal` and integers keep.
    /// - Throws: ``ODataError``; the errors of the type's own `init(from:)`.
    public init(parsing body: Data, as type: Value.Type = Value.self) throws {
        try self.init(ODataDocument(parsing: body).record(), path: ODataPath(entry: ""))
    }

    /// - Parameter path: of the entry, for errors.
    init(_ record: ODataRecord, path: ODataPath) throws {
        id = record.id
        etag = record.etag
        type = record.type
        links = record.links
        editLink = record.editLink
        mediaLink = record.mediaLink
        mediaType = record.mediaType
        value = try ODataDecoder.decode(Value.self, from: .object(record.properties), path: path)
    }
}

/// A collection of entries of an OData service.
public struct ODataCollection<Value> {
    /// The entries, in the server's order.
    public let entries: [ODataEntry<Value>]
    /// The number of all entries, if `$inlinecount=allpages` or `$count=true` asked for it.
    public let count: Int?
    /// The URL of the next page, if the server sent only a part.
    public let nextLink: String?

    /// The properties of the entries.
    public var values: [Value] { entries.map(\.value) }
}

extension ODataCollection: Sendable where Value: Sendable {}
extension ODataCollection: Equatable where Value: Equatable {}
extension ODataCollection: Hashable where Value: Hashable {}

extension ODataCollection where Value: Decodable {
    /// Decodes a collection in Atom or JSON (OData 1 to 4); see ``ODataEntry/init(parsing:as:)``.
    /// - Throws: ``ODataError``; the errors of the type's own `init(from:)`.
    public init(parsing body: Data, as type: Value.Type = Value.self) throws {
        let records = try ODataDocument(parsing: body).records()
        entries = try records.records.enumerated().map { try ODataEntry($1, path: ODataPath(entry: "entries[\($0)]")) }
        count = records.count
        nextLink = records.nextLink
    }
}

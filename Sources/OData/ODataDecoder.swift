import Foundation
import HTTPMessages

/// Decodes types from an entry's properties.
struct ODataDecoder: Decoder {
    let node: ODataNode
    let path: ODataPath
    var codingPath: [any CodingKey] { path.keys }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Decodes a value.
    /// - Throws: ``ODataError``; the errors of the type's own `init(from:)`.
    static func decode<Value: Decodable>(
        _ type: Value.Type, from node: ODataNode, path: ODataPath
    ) throws -> Value {
        let decoder = ODataDecoder(node: node, path: path)
        if type == JSONValue.self, let value = node.json as? Value { return value }
        if let value = try ODataScalar(node: node, path: path).value(type) { return value }
        if case .deferred = node { throw decoder.missing(type) }
        do {
            return try Value(from: decoder)
        } catch DecodingError.dataCorrupted(let context)
            where context.underlyingError == nil && context.debugDescription.hasPrefix("Cannot initialize ")
        {
            // The standard library's error of an enum or a range quotes the value.
            throw decoder.unexpected("\(type)")
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = node else { throw unexpected("an object") }
        return KeyedDecodingContainer(ODataMembers<Key>(members: members, path: path))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements, _) = node else { throw unexpected("an array") }
        return ODataElements(elements: elements, path: path)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { ODataSingleValue(decoder: self) }

    func unexpected(_ expectation: String) -> ODataError {
        ODataScalar(node: node, path: path).unexpected(expectation)
    }

    func missing(_ type: Any.Type) -> ODataError { ODataScalar(node: node, path: path).missing(type) }
}

/// A value as its own container; all methods of the protocol have the decoder's generic one as default.
struct ODataSingleValue: SingleValueDecodingContainer {
    let decoder: ODataDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.node == .null }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try ODataDecoder.decode(type, from: decoder.node, path: decoder.path)
    }
}

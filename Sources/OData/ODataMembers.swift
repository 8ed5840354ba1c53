import Foundation
import HTTPMessages

/// The properties of an entry or of a complex value.
struct ODataMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [String: ODataNode]
    let path: ODataPath

    var codingPath: [any CodingKey] { path.keys }
    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { members[key.stringValue].map { !$0.isDeferred } ?? false }

    func decodeNil(forKey key: Key) -> Bool { members[key.stringValue] == .null }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let path = path.appending(key)
        guard let node = members[key.stringValue] else { throw path.missing }
        return try ODataDecoder.decode(type, from: node, path: path)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder {
        ODataDecoder(node: .object(members), path: path)
    }

    func superDecoder(forKey key: Key) -> any Decoder { decoder(key) }

    private func decoder(_ key: Key) -> ODataDecoder {
        ODataDecoder(node: members[key.stringValue] ?? .null, path: path.appending(key))
    }
}

extension ODataNode {
    fileprivate var isDeferred: Bool { if case .deferred = self { true } else { false } }
}

import Foundation
import HTTPMessages

/// The elements of a collection of values, or of an expanded navigation property.
struct ODataElements: UnkeyedDecodingContainer {
    let elements: [ODataNode]
    let path: ODataPath
    private(set) var currentIndex = 0

    var codingPath: [any CodingKey] { path.keys }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    init(elements: [ODataNode], path: ODataPath) {
        self.elements = elements
        self.path = path
    }

    mutating func decodeNil() -> Bool {
        guard !isAtEnd, elements[currentIndex] == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let decoder = try next()
        let value = try ODataDecoder.decode(type, from: decoder.node, path: decoder.path)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let container = try next().container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try next().unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try next()
        currentIndex += 1
        return decoder
    }

    private func next() throws -> ODataDecoder {
        let path = path.appending(ODataPath.Index(currentIndex))
        guard !isAtEnd else { throw path.missing }
        return ODataDecoder(node: elements[currentIndex], path: path)
    }
}

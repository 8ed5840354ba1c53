import Foundation
import HTTPMessages

/// The elements of a collection of values, or of an expanded navigation property.
struct ODataElements: UnkeyedDecodingContainer {
    let elements: [ODataNode]
    let path: String
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    init(elements: [ODataNode], path: String, codingPath: [any CodingKey]) {
        self.elements = elements
        self.path = path
        self.codingPath = codingPath
    }

    mutating func decodeNil() -> Bool {
        guard !isAtEnd, elements[currentIndex] == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let decoder = try next()
        let value = try ODataDecoder.decode(
            type, from: decoder.node, path: decoder.path, codingPath: decoder.codingPath)
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
        let path = "\(path)[\(currentIndex)]"
        guard !isAtEnd else { throw ODataError(.missingValue, "\(path) is missing.", element: path) }
        return ODataDecoder(
            node: elements[currentIndex], path: path, codingPath: codingPath + [Index(intValue: currentIndex)])
    }

    private struct Index: CodingKey {
        let intValue: Int?
        var stringValue: String { "\(intValue ?? 0)" }
        init(intValue: Int) { self.intValue = intValue }
        init?(stringValue: String) { nil }
    }
}

import Foundation

struct Point: Codable, Equatable {
    var x: Int
    var y: Double?
    var name: String?
}

struct Line: Codable, Equatable {
    var points: [Point]
    var tags: [String: Int]?
    var style: Style?
    var next: [Line]?

    enum Style: String, Codable { case solid, dotted }
}

/// An enum with payloads, coded by the compiler.
enum Shape: Codable, Equatable {
    case circle(radius: Double)
    case square(Int, label: String?)
    case empty
}

class Animal: Codable {
    var name: String
    init(name: String) { self.name = name }
}

final class Dog: Animal {
    var age: Int

    init(name: String, age: Int) {
        self.age = age
        super.init(name: name)
    }

    private enum CodingKeys: CodingKey { case age }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        age = try container.decode(Int.self, forKey: .age)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(age, forKey: .age)
        try super.encode(to: container.superEncoder())
    }
}

/// A subclass that shares the object with its superclass, as many types do.
final class Cat: Animal {
    var lives: Int

    init(name: String, lives: Int) {
        self.lives = lives
        super.init(name: name)
    }

    private enum CodingKeys: CodingKey { case lives }

    required init(from decoder: any Decoder) throws {
        lives = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .lives)
        try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(lives, forKey: .lives)
        try super.encode(to: encoder)
    }
}

/// Reads and writes nested containers by hand.
struct Nested: Codable, Equatable {
    var a: Int
    var b: [Int]
    var c: Int?

    private enum CodingKeys: CodingKey { case inner, list, other }
    private enum InnerKeys: CodingKey { case a }

    init(a: Int, b: [Int], c: Int?) { (self.a, self.b, self.c) = (a, b, c) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        a = try container.nestedContainer(keyedBy: InnerKeys.self, forKey: .inner).decode(Int.self, forKey: .a)
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        b = []
        while !list.isAtEnd {
            if try list.decodeNil() { continue }
            var pair = try list.nestedUnkeyedContainer()
            b.append(try pair.decode(Int.self))
            b.append(try pair.nestedContainer(keyedBy: InnerKeys.self).decode(Int.self, forKey: .a))
        }
        c = container.contains(.other) ? try container.decodeIfPresent(Int.self, forKey: .other) : -1
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        // Open at the same time.
        var list = container.nestedUnkeyedContainer(forKey: .list)
        var inner = container.nestedContainer(keyedBy: InnerKeys.self, forKey: .inner)
        for index in stride(from: 0, to: b.count - 1, by: 2) {
            try list.encodeNil()
            var pair = list.nestedUnkeyedContainer()
            try pair.encode(b[index])
            var object = pair.nestedContainer(keyedBy: InnerKeys.self)
            try object.encode(b[index + 1], forKey: .a)
        }
        try inner.encode(a, forKey: .a)
        try container.encode(c, forKey: .other)
    }
}

/// Any JSON, decoded through containers. It tries numbers as `Double` only.
enum Anything: Codable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([Anything])
    case object([String: Anything])

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: TextKey.self) {
            var members: [String: Anything] = [:]
            for key in container.allKeys {
                members[key.stringValue] = try container.decode(Anything.self, forKey: key)
            }
            self = .object(members)
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [Anything] = []
            while !container.isAtEnd { elements.append(try container.decode(Anything.self)) }
            self = .array(elements)
        } else {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Double.self) {
                self = .number(value)
            } else {
                self = .string(try container.decode(String.self))
            }
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: TextKey.self)
            for (name, value) in members { try container.encode(value, forKey: TextKey(name)) }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .bool(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .string(let value): try container.encode(value)
            default: try container.encodeNil()
            }
        }
    }
}

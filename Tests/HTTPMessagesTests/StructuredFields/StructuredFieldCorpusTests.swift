import Foundation
import HTTPMessages
import TestSupport
import Testing

/// The suite of https://github.com/httpwg/structured-field-tests.
@Suite(.enabled(if: Corpora.canUnpack("structured-fields.tar.xz"), "structured-field-tests, tar or xz is not here"))
struct StructuredFieldCorpusTests {
    @Test(.needsSlot) func `agrees with the suite`() async throws {
        var (parsed, written) = (0, 0)
        for (path, data) in try await Corpora.unpackByPath("structured-fields.tar.xz") where path.hasSuffix(".json") {
            for test in try JSONValue(parsing: data).array ?? [] {
                let name = "\(path.split(separator: "/").last ?? ""): \(test["name"]?.string ?? "")"
                let mustFail = test["must_fail"]?.bool ?? false
                if let raw = test["raw"]?.array {
                    try check(test, raw.compactMap(\.string).joined(separator: ", "), mustFail, name)
                    parsed += 1
                } else {
                    let text = Result { try Field(test).text() }
                    if mustFail {
                        #expect(throws: HTTPMessageError.self, "\(name)") { try text.get() }
                    } else {
                        #expect(try text.get() == test["canonical"]?[0]?.string, "\(name)")
                    }
                    written += 1
                }
            }
        }
        #expect(parsed > 1500 && written > 500)
    }

    private func check(_ test: JSONValue, _ text: String, _ mustFail: Bool, _ name: String) throws {
        let field = Result { try Field(parsing: text, as: test["header_type"]?.string ?? "") }
        if mustFail {
            #expect(throws: HTTPMessageError.self, "\(name)") { try field.get() }
            return
        }
        if test["can_fail"]?.bool == true, (try? field.get()) == nil { return }
        let found = try #require(try? field.get(), "\(name) \(field)")
        #expect(try found == Field(test), "\(name)")
        let canonical = (test["canonical"] ?? test["raw"])?.array?.compactMap(\.string).joined(separator: ", ")
        #expect(try found.text() == canonical, "\(name)")
    }
}

private enum Field: Equatable {
    case item(StructuredItem)
    case list(StructuredList)
    case dictionary(StructuredDictionary)

    init(parsing text: String, as type: String) throws {
        switch type {
        case "item": self = .item(try StructuredItem(parsing: text))
        case "list": self = .list(try StructuredList(parsing: text))
        default: self = .dictionary(try StructuredDictionary(parsing: text))
        }
    }

    /// The expected field of a test.
    init(_ test: JSONValue) throws {
        let expected = try #require(test["expected"])
        switch test["header_type"]?.string {
        case "item": self = .item(try expected.item())
        case "list": self = .list(StructuredList(try (expected.array ?? []).map { try $0.member() }))
        default:
            var dictionary = StructuredDictionary()
            for pair in expected.array ?? [] {
                dictionary[try #require(pair[0]?.string)] = try #require(pair[1]).member()
            }
            self = .dictionary(dictionary)
        }
    }

    func text() throws -> String {
        switch self {
        case .item(let item): try item.text()
        case .list(let list): try list.text()
        case .dictionary(let dictionary): try dictionary.text()
        }
    }
}

extension JSONValue {
    fileprivate func member() throws -> StructuredMember {
        guard let items = self[0]?.array else { return .item(try item()) }
        return .innerList(StructuredInnerList(try items.map { try $0.item() }, parameters: try parameters()))
    }

    fileprivate func item() throws -> StructuredItem {
        StructuredItem(try #require(self[0]).value(), parameters: try parameters())
    }

    private func parameters() throws -> StructuredParameters {
        var parameters: StructuredParameters = [:]
        for pair in self[1]?.array ?? [] { parameters[try #require(pair[0]?.string)] = try #require(pair[1]).value() }
        return parameters
    }

    private func value() throws -> StructuredValue {
        switch self {
        case .bool(let value): return .bool(value)
        case .integer(let number): return .integer(number)
        case .string(let text): return .string(text)
        case .number(let number): return .decimal(try #require(Decimal(string: "\(number)")))
        default: break
        }
        let value = try #require(self["value"])
        switch self["__type"]?.string {
        case "token": return .token(try #require(value.string))
        case "displaystring": return .displayString(try #require(value.string))
        case "date": return .date(Date(timeIntervalSince1970: TimeInterval(try #require(value.integer))))
        default: return .bytes(Data(base32: try #require(value.string)))
        }
    }
}

extension Data {
    /// Decodes base 32 (RFC 4648, section 6).
    fileprivate init(base32 text: String) {
        var (bits, count) = (UInt64(0), 0)
        self.init()
        for byte in text.utf8 where byte != UInt8(ascii: "=") {
            bits = bits << 5 | UInt64(byte >= 0x41 ? byte - 0x41 : byte - 0x32 + 26)
            count += 5
            guard count >= 8 else { continue }
            append(UInt8(bits >> UInt64(count - 8) & 0xFF))
            count -= 8
        }
    }
}

import Foundation
import HTTPMessages
import RequestModel
import TestSupport
import Testing

/// The suites of https://github.com/uri-templates/uritemplate-test.
@Suite(.enabled(if: Corpora.canUnpack("uri-templates.tar.xz"), "uritemplate-test, tar or xz is not here"))
struct URITemplateCorpusTests {
    @Test(
        .needsSlot,
        arguments: [
            "spec-examples.json", "spec-examples-by-section.json", "extended-tests.json", "negative-tests.json",
        ])
    func `agrees with the suite`(file: String) async throws {
        let data = try #require(try await Corpora.unpack("uri-templates.tar.xz")[file])
        var count = 0
        for group in try #require(JSONValue(parsing: data).object).values {
            let values = group["variables"]?.object ?? [:]
            for test in group["testcases"]?.array ?? [] {
                let text = try #require(test[0]?.string)
                let expected = try #require(test[1])
                let expansion = Result { () throws -> String in
                    let template = try URITemplate(text)
                    return try template.expand(
                        URITemplate.Values(template.variables.map { ($0, values[$0].flatMap(\.templateValue)) }))
                }
                count += 1
                switch (try? expansion.get(), expected) {
                case (let text?, .string(let one)): #expect(text == one, "\(test)")
                case (let text?, .array(let several)): #expect(several.contains(.string(text)), "\(test)")
                case (nil, .bool(false)): break
                default: Issue.record("\(test) \(expansion)")
                }
            }
        }
        #expect(count > 20)
    }
}

extension JSONValue {
    fileprivate var templateText: String? { string ?? integer.map(String.init) ?? double.map { "\($0)" } }

    fileprivate var templateValue: (any URITemplateConvertible)? {
        switch self {
        case .array(let elements): elements.compactMap(\.templateText)
        case .object(let members): members.compactMapValues(\.templateText)
        default: templateText
        }
    }
}

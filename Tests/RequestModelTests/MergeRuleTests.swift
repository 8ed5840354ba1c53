import Foundation
import HTTPMessages
import PatchbayTestKit
import RequestModel
import Testing

@Suite struct MergeRuleTests {
    private static let rules = [MergeRule.byName, .replacing, MergeRule(fields: .replace, query: .mergeByName)]
    private static let seeds = 0..<500 as Range<UInt64>

    /// Request data in a comparable form.
    private struct Said: Equatable {
        let fields: [String]
        let query: Query
        let body: Data?
        let mediaType: MediaType?
        let options: RequestOptions?

        init(_ data: RequestData) throws {
            fields = data.fields.map { "\($0.name.rawName): \($0.value)" }
            query = data.query
            let reader = data.body.isEmpty ? nil : try data.body.content.makeReader()
            body = try reader?.read(atMost: 1000)
            mediaType = data.body.mediaType
            options = data.options
        }
    }

    private func data(using generator: inout SeededGenerator) throws -> RequestData {
        var data = RequestData.empty
        for _ in 0..<Int.random(in: 0...5, using: &generator) {
            let name = try #require(
                ["Accept", "accept", "ACCEPT", "X-A", "x-a", "X-B"].randomElement(using: &generator))
            try data.fields.append(name, String(Int.random(in: 0...99, using: &generator)))
        }
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
            let name = try #require(["a", "A", "b", "ä", ""].randomElement(using: &generator))
            data.query.append(name, Bool.random(using: &generator) ? generator.text() : nil)
        }
        if Bool.random(using: &generator) { data.body = .text("body " + generator.text()) }
        if Bool.random(using: &generator) {
            data.options = RequestOptions(maximumResponseBytes: Int.random(in: 0...99, using: &generator))
        }
        return data
    }

    @Test(arguments: rules) func `empty data changes nothing`(rule: MergeRule) throws {
        for seed in Self.seeds {
            var generator = SeededGenerator(seed: seed)
            let data = try data(using: &generator)
            #expect(try Said(rule.merge(data, .empty)) == Said(data), "seed \(seed)")
            #expect(try Said(rule.merge(.empty, data)) == Said(data), "seed \(seed)")
        }
    }

    @Test(arguments: rules) func `layers may be merged in any grouping`(rule: MergeRule) throws {
        for seed in Self.seeds {
            var generator = SeededGenerator(seed: seed)
            let (a, b, c) = (try data(using: &generator), try data(using: &generator), try data(using: &generator))
            let left = rule.merge(rule.merge(a, b), c)
            #expect(try Said(left) == Said(rule.merge(a, rule.merge(b, c))), "seed \(seed)")
        }
    }

    @Test(arguments: rules) func `the call wins and operands stay as they were`(rule: MergeRule) throws {
        for seed in Self.seeds {
            var generator = SeededGenerator(seed: seed)
            let (base, call) = (try data(using: &generator), try data(using: &generator))
            let (saidBase, saidCall) = (try Said(base), try Said(call))
            let merged = rule.merge(base, call)
            #expect(try Said(base) == saidBase && Said(call) == saidCall)
            for field in call.fields {
                #expect(merged.fields.values(of: field.name) == call.fields.values(of: field.name), "seed \(seed)")
            }
            for item in call.query {
                #expect(merged.query.values(of: item.name) == call.query.values(of: item.name), "seed \(seed)")
            }
            let said = try Said(merged)
            #expect(said.body == saidCall.body ?? saidBase.body)
            #expect(said.mediaType == (call.body.isEmpty ? saidBase.mediaType : saidCall.mediaType))
            #expect(said.options == saidCall.options ?? saidBase.options)
        }
    }

    @Test func `names of the base are kept`() throws {
        for seed in Self.seeds {
            var generator = SeededGenerator(seed: seed)
            let (base, call) = (try data(using: &generator), try data(using: &generator))
            let merged = MergeRule.byName.merge(base, call)
            for field in base.fields where !call.fields.contains(field.name) {
                #expect(merged.fields.values(of: field.name) == base.fields.values(of: field.name), "seed \(seed)")
            }
            for item in base.query where !call.query.contains(item.name) {
                #expect(merged.query.values(of: item.name) == base.query.values(of: item.name), "seed \(seed)")
            }
        }
    }

    @Test func `by name combines without case for fields and with case for parameters`() throws {
        let base = RequestData(
            fields: try HTTPFields(["Accept": "a", "X-Keep": "k"]), query: ["q": "1", "Q": "2"], body: .text("base"))
        let call = RequestData(fields: try HTTPFields(["accept": "b"]), query: ["q": "3"], body: .text("call"))
        let merged = MergeRule.byName.merge(base, call)
        #expect(merged.fields.count == 2)
        #expect(merged.fields["Accept"] == "b" && merged.fields["x-keep"] == "k")
        #expect(merged.query == ["Q": "2", "q": "3"])
        #expect(try Said(merged).body == Data("call".utf8))
    }

    @Test func `replace drops the other names`() throws {
        let base = RequestData(fields: try HTTPFields(["X-A": "a"]), query: ["a": "1"])
        let merged = MergeRule.replacing.merge(
            base, RequestData(fields: try HTTPFields(["X-B": "b"]), query: ["b": "2"]))
        #expect(merged.fields["X-A"] == nil && merged.fields["X-B"] == "b")
        #expect(merged.query == ["b": "2"])
    }

    @Test func `a body of zero bytes is set`() throws {
        let call = RequestData(body: .bytes(Data(), mediaType: nil))
        let merged = MergeRule.byName.merge(RequestData(body: .text("base")), call)
        #expect(!merged.body.isEmpty && merged.body.content.length == 0)
        #expect(merged.body.mediaType == nil)
    }
}

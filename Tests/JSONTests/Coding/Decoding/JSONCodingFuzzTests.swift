import Foundation
import TestSupport
import Testing

@testable import JSON

/// Differential fuzz: the same value as Foundation's decoder, an error on both sides, or a documented difference.
///
/// `PATCHBAY_JSON_DOCUMENTS` sets the number of documents; `JSON.md` names the result for a million.
@Suite(.needsSlot) struct JSONCodingFuzzTests {
    private static let count =
        ProcessInfo.processInfo.environment["PATCHBAY_JSON_DOCUMENTS"].flatMap { Int($0) } ?? 10_000

    /// A difference that the guide lists.
    private enum Difference {
        /// Foundation does not check the grammar of what the type does not read, and reads trailing commas.
        case grammar
        /// Foundation reads an integer such as `1.0000000000000000001`, or `1e-400`, after rounding.
        case roundedInteger
        /// Foundation decodes dictionary members that are not the first of their name.
        case duplicate
        /// Foundation refuses a zero with an exponent, such as `0e2`.
        case zeroWithExponent
        /// One of several errors in a dictionary: each decoder finds another one first.
        case order
    }

    private func difference<Value>(_ outcomes: Outcomes<Value>, _ text: Data) -> Difference? {
        switch (outcomes.foundation, outcomes.ours) {
        case (.value, .failure("corrupted")):
            return difference(ofRefused: text, outcomes.rejectedInteger)
        case (.failure, .value):
            if text.count(of: "0e") + text.count(of: "0E") > 0 { return .zeroWithExponent }
            return text.count(of: "\"p\"") > 1 || text.count(of: "\"e\"") > 1 ? .duplicate : nil
        case (.failure(let foundation), .failure(let ours)):
            // A number in a dictionary that does not fit.
            if ours == "corrupted", foundation.contains(" at e.") { return .order }
            if ours == "corrupted" { return difference(ofRefused: text, outcomes.rejectedInteger) }
            if foundation == "corrupted", ours.hasPrefix("corrupted") { return .order }
            // Foundation says for `Bool` that null is of another type.
            if foundation.hasPrefix("mismatch Bool"), ours.hasPrefix("no Bool") { return .order }
            return [foundation, ours].allSatisfy { $0.contains(" at e.") || $0.contains("e at") } ? .order : nil
        default:
            return nil
        }
    }

    private func difference(ofRefused text: Data, _ rejectedInteger: String?) -> Difference? {
        if !GrammarCheck.accepts(text) { return .grammar }
        return rejectedInteger?.contains { ".eE".contains($0) } == true ? .roundedInteger : nil
    }

    private func compare<Value: Decodable & Equatable>(_ type: Value.Type, _ text: Data, _ settings: CoderSettings) {
        let outcomes = Outcomes(type, text, settings)
        guard outcomes.foundation != outcomes.ours, difference(outcomes, text) == nil else { return }
        Issue.record("\(type): \(String(decoding: text, as: UTF8.self)): \(outcomes)")
    }

    @Test func `mutated documents decode as in Foundation`() {
        var random = RandomJSON(seed: 36)
        let standard = CoderSettings()
        let snakeCase = CoderSettings.snakeCase
        for number in 0..<Self.count {
            switch number % 4 {
            case 0:
                let text = random.mutated(random.value())
                compare(Anything.self, text, standard)
                // Zeros at the start may mean another encoding.
                if !text.prefix(4).contains(0) {
                    let isAccepted = (try? JSONTape(text, coding: .standard)) != nil
                    #expect(isAccepted == GrammarCheck.accepts(text), "\(String(decoding: text, as: UTF8.self))")
                }
            case 1: compare(RandomRecord.self, random.mutated(random.record()), standard)
            case 2: compare(RandomRecord.self, random.mutated(random.record()), snakeCase)
            default:
                let text = random.mutated("[\(random.number()),\(random.number())]")
                compare([Double].self, text, standard)
                compare([Int].self, text, standard)
                compare([Float].self, text, standard)
                compare([Decimal].self, text, standard)
            }
        }
    }

    @Test func `documents that are cut anywhere are an error`() {
        var random = RandomJSON(seed: 7)
        for _ in 0..<50 {
            let text = Data(random.record().utf8)
            for length in 0..<text.count {
                #expect(throws: DecodingError.self) {
                    try JSONCoding.standard.decode(JSONValue.self, from: text.prefix(length))
                }
            }
        }
    }
}

extension Data {
    fileprivate func count(of text: String) -> Int {
        String(decoding: self, as: UTF8.self).components(separatedBy: text).count - 1
    }
}

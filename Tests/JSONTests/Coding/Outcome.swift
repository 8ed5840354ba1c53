import Foundation
import JSON

/// The result of decoding: a value, or the kind and path of an error.
enum Outcome<Value: Equatable>: Equatable {
    case value(Value)
    case failure(String)

    init(_ body: () throws -> Value) {
        do {
            self = .value(try body())
        } catch {
            self = .failure(Self.summary(of: error))
        }
    }

    private static func summary(of error: any Error) -> String {
        func path(_ context: DecodingError.Context) -> String {
            context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
        }
        switch error {
        case DecodingError.typeMismatch(let type, let context): return "mismatch \(type) at \(path(context))"
        case DecodingError.valueNotFound(let type, let context): return "no \(type) at \(path(context))"
        case DecodingError.keyNotFound(let key, let context): return "no key \(key.stringValue) at \(path(context))"
        case DecodingError.dataCorrupted(let context):
            // Foundation gives no path for a number that does not fit, nor for invalid JSON.
            let isNumber = context.debugDescription.contains("does not fit")
            let isSyntax = context.debugDescription.hasPrefix("The given data was not valid JSON")
            return isNumber || isSyntax ? "corrupted" : "corrupted at \(path(context))"
        default: return "\(type(of: error))"
        }
    }
}

/// The results of both decoders.
struct Outcomes<Value: Decodable & Equatable>: CustomStringConvertible {
    let foundation: Outcome<Value>
    let ours: Outcome<Value>
    /// The number that was not one of the wanted integer type.
    private(set) var rejectedInteger: String?

    init(_ type: Value.Type, _ text: Data, _ settings: CoderSettings = CoderSettings()) {
        foundation = Outcome { try settings.decoder.decode(type, from: text) }
        ours = Outcome { try settings.coding.decode(type, from: text) }
        guard foundation != ours else { return }
        do {
            _ = try settings.coding.decode(type, from: text)
        } catch DecodingError.dataCorrupted(let context) {
            let match = context.debugDescription.wholeMatch(of: /Parsed JSON number <(.*)> does not fit in U?Int\d*\./)
            rejectedInteger = (match?.1).map(String.init)
        } catch {
            return
        }
    }

    init(_ type: Value.Type, _ text: String, _ settings: CoderSettings = CoderSettings()) {
        self.init(type, Data(text.utf8), settings)
    }

    var description: String { "Foundation: \(foundation), ours: \(ours)" }
}

/// The same settings for Foundation's coders and ours.
struct CoderSettings {
    var coding = JSONCoding()
    let decoder = JSONDecoder()
    let encoder = JSONEncoder()

    static var snakeCase: CoderSettings {
        let settings = CoderSettings(coding: JSONCoding { $0.keys = .snakeCase })
        settings.decoder.keyDecodingStrategy = .convertFromSnakeCase
        settings.encoder.keyEncodingStrategy = .convertToSnakeCase
        return settings
    }

    static var prefixedKeys: CoderSettings {
        let settings = CoderSettings(
            coding: JSONCoding {
                $0.keys = .custom(
                    decode: { TextKey("\($0.count)" + $0.last!.stringValue) },
                    encode: { TextKey("\($0.count)" + $0.last!.stringValue) })
            })
        settings.decoder.keyDecodingStrategy = .custom { TextKey("\($0.count)" + $0.last!.stringValue) }
        settings.encoder.keyEncodingStrategy = .custom { TextKey("\($0.count)" + $0.last!.stringValue) }
        return settings
    }

    static var floatStrings: CoderSettings {
        let settings = CoderSettings(
            coding: JSONCoding {
                $0.nonConformingFloats = .strings(positiveInfinity: "+", negativeInfinity: "-", nan: "nan")
            })
        settings.decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "nan")
        settings.encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "nan")
        return settings
    }
}

/// A key of any name.
struct TextKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

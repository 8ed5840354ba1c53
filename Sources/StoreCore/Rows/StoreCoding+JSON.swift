import Foundation
import JSON

extension StoreCoding {
    /// Settings for the nested values of a column: keys sorted, so that equal values have equal texts.
    func makeJSONCoding() -> JSONCoding {
        JSONCoding {
            $0.format = .sortedKeys
            $0.dates = .custom(
                decode: { try Date(json: $0, self) },
                encode: { [dates] date, encoder in
                    var container = encoder.singleValueContainer()
                    switch dates.value(of: date) {
                    case .text(let text): try container.encode(text)
                    case .integer(let number): try container.encode(number)
                    case .real(let number): try container.encode(number)
                    default:
                        let context = EncodingError.Context(
                            codingPath: encoder.codingPath, debugDescription: "The date is out of range.")
                        throw EncodingError.invalidValue(date, context)
                    }
                })
        }
    }
}

import Foundation

extension StoreCoding {
    /// Encodes the nested values of a column: keys sorted, so that equal values have equal texts.
    func makeJSONEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { [dates] date, encoder in
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
        }
        return encoder
    }
}

import Foundation
import HTTPMessages

/// Writer of the parameters of a value: the state that all containers of one encoding share.
final class QueryWriter {
    let style: QueryStyle
    private(set) var query = Query()

    init(_ style: QueryStyle) {
        self.style = style
        // One allocation for most types.
        query.reserveCapacity(12)
    }

    /// Where a value is written.
    enum Place {
        /// The value itself, whose properties are the parameters.
        case root
        /// A parameter of a name.
        case parameter(String)
        /// An element of the array of a name.
        case element(String, index: Int)
        /// An element of an array in one parameter.
        case delimited(DelimitedArray)
        /// Nowhere, with the error for what is written there.
        case unwritable(HTTPMessageError)

        /// The name in errors.
        var name: String {
            switch self {
            case .root, .unwritable: ""
            case .parameter(let name), .element(let name, _): name
            case .delimited(let array): array.name
            }
        }
    }

    /// An array in one parameter, which grows with each element.
    final class DelimitedArray {
        let name: String
        let delimiter: String
        fileprivate var position: Int?

        init(_ name: String, _ delimiter: String) {
            self.name = name
            self.delimiter = delimiter
        }
    }

    func write<Value: Encodable>(
        _ value: Value, at place: Place, path: @autoclosure () -> [any CodingKey]
    ) throws {
        if let scalar = value as? any QueryScalar { return try append(text(of: scalar, place.name), at: place) }
        let path = path()
        guard path.count <= QueryFault.maximumDepth else {
            throw QueryFault.unwritable(place.name, "nested in more than \(QueryFault.maximumDepth) levels.")
        }
        let encoder = QueryValueEncoder(writer: self, place: place, codingPath: path)
        if let dictionary = value as? any StringDictionary {
            try encoder.encode(dictionary.sortedPairs)
        } else {
            try value.encode(to: encoder)
        }
    }

    /// Writes a parameter: the short way of most properties.
    func write(_ scalar: some QueryScalar, named name: String) throws { query.append(name, try text(of: scalar, name)) }

    /// Writes an element of an array: the short way of most of them.
    func write(_ scalar: some QueryScalar, at place: Place) throws {
        try append(text(of: scalar, place.name), at: place)
    }

    private func text(of scalar: some QueryScalar, _ name: String) throws -> String {
        guard let text = scalar.queryText(style) else {
            let problem = scalar is Date ? "the date is outside the years 1 to 9999." : "not a finite number."
            throw QueryFault.unwritable(name, problem)
        }
        return text
    }

    func writeNil(at place: Place) throws {
        if case .root = place { return }
        switch style.nils {
        case .omitted: break
        case .empty: try append("", at: place)
        case .nameOnly: try append(nil, at: place)
        }
    }

    private func append(_ text: String?, at place: Place) throws {
        switch place {
        case .root:
            throw QueryFault.withoutName
        case .unwritable(let error):
            throw error
        case .parameter(let name):
            query.append(name, text)
        case .element(let name, let index):
            switch style.arrays {
            case .indices: query.append("\(name)[\(index)]", text)
            case .brackets: query.append(name + "[]", text)
            default: query.append(name, text)
            }
        case .delimited(let array):
            let text = text ?? ""
            guard !text.utf8.contains(where: { $0 == array.delimiter.utf8.first }) else {
                throw QueryFault.unwritable(
                    array.name,
                    "an element contains the delimiter \(array.delimiter.debugDescription); "
                        + "use another `ArrayStyle`.")
            }
            guard let position = array.position else {
                array.position = query.count
                return query.append(array.name, text)
            }
            query.extendValue(at: position, by: array.delimiter + text)
        }
    }

    /// The place of a property of an object.
    func place(of property: String, in object: Place) -> Place {
        do {
            return .parameter(style.nesting.join(try containerName(at: object), property))
        } catch { return .unwritable(error) }
    }

    /// The name of an object or an array at a place; nil at the root.
    func containerName(at place: Place) throws(HTTPMessageError) -> String? {
        switch place {
        case .root: return nil
        case .unwritable(let error): throw error
        case .parameter(let name): return name
        case .element(let name, let index): return "\(name)[\(index)]"
        case .delimited(let array):
            throw QueryFault.unwritable(
                array.name, "an array in one parameter has no objects and no arrays; use `ArrayStyle.indices`.")
        }
    }
}

/// A dictionary whose keys are names of parameters.
protocol StringDictionary {
    /// The values in the order of their keys, so that equal dictionaries have equal queries.
    var sortedPairs: [(String, any Encodable)] { get }
}

extension Dictionary: StringDictionary where Key == String, Value: Encodable {
    var sortedPairs: [(String, any Encodable)] {
        sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) }
    }
}

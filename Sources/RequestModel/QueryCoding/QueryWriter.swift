import Foundation
import HTTPMessages

/// Writer of the parameters of a value: the state that all containers of one encoding share.
final class QueryWriter {
    let style: QueryStyle
    private(set) var query = Query()
    /// The objects in one parameter, by its name.
    private var objects: [String: DelimitedList] = [:]

    init(_ style: QueryStyle) {
        self.style = style
        // One allocation for most types.
        query.reserveCapacity(12)
    }

    /// Where a value is written.
    enum Location {
        /// The value itself, whose properties are the parameters.
        case root
        /// A parameter of a name.
        case parameter(String)
        /// An element of the array of a name.
        case element(String, index: Int)
        /// An element of an array in one parameter.
        case delimited(DelimitedList)
        /// A property of an object in one parameter.
        case pair(DelimitedList, property: String)
        /// Nowhere, with the error for what is written there.
        indirect case unwritable(HTTPMessageError)

        /// The name in errors.
        var name: String {
            switch self {
            case .root, .unwritable: ""
            case .parameter(let name), .element(let name, _): name
            case .delimited(let list): list.name
            case .pair(let list, let property): "\(list.name)[\(property)]"
            }
        }
    }

    /// An array or an object in one parameter, which grows with each element.
    final class DelimitedList {
        let name: String
        let delimiter: String
        fileprivate var position: Int?

        init(_ name: String, _ delimiter: String) {
            self.name = name
            self.delimiter = delimiter
        }
    }

    func write<Value: Encodable>(
        _ value: Value, at location: Location, path: @autoclosure () -> [any CodingKey]
    ) throws {
        if let scalar = value as? any QueryScalar { return try append(text(of: scalar, location.name), at: location) }
        let path = path()
        guard path.count <= QueryFault.maximumDepth else {
            throw QueryFault.unwritable(location.name, "nested in more than \(QueryFault.maximumDepth) levels.")
        }
        let encoder = QueryValueEncoder(writer: self, location: location, codingPath: path)
        if let dictionary = value as? any StringDictionary {
            try encoder.encode(dictionary.sortedPairs)
        } else {
            try value.encode(to: encoder)
        }
    }

    /// Writes a property of an object: the short way of most of them.
    func write(_ scalar: some QueryScalar, named property: String, in object: Location) throws {
        if case .root = object { return query.append(property, try text(of: scalar, property)) }
        try write(scalar, at: location(of: property, in: object))
    }

    /// Writes an element of an array: the short way of most of them.
    func write(_ scalar: some QueryScalar, at location: Location) throws {
        try append(text(of: scalar, location.name), at: location)
    }

    private func text(of scalar: some QueryScalar, _ name: @autoclosure () -> String) throws -> String {
        guard let text = scalar.queryText(style) else {
            let problem = scalar is Date ? "the date is outside the years 1 to 9999." : "not a finite number."
            throw QueryFault.unwritable(name(), problem)
        }
        return text
    }

    func writeNil(at location: Location) throws {
        if case .root = location { return }
        switch style.nils {
        case .omitted: break
        case .empty: try append("", at: location)
        case .nameOnly: try append(nil, at: location)
        }
    }

    private func append(_ text: String?, at location: Location) throws {
        switch location {
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
        case .delimited(let list):
            try append(text ?? "", to: list, "an element", "`ArrayStyle`")
        case .pair(let list, let property):
            guard let text else {
                throw QueryFault.unwritable(
                    location.name,
                    "a nil has no form without a value in one parameter; use `Nils.omitted` or `Nils.empty`.")
            }
            try append(property, to: list, "a name", "`QueryStyle.Nesting`")
            try append(text, to: list, "the value of \(property.debugDescription)", "`QueryStyle.Nesting`")
        }
    }

    private func append(_ text: String, to list: DelimitedList, _ subject: String, _ style: String) throws {
        guard !text.utf8.contains(where: { $0 == list.delimiter.utf8.first }) else {
            throw QueryFault.unwritable(
                list.name, "\(subject) contains the delimiter \(list.delimiter.debugDescription); use another \(style)."
            )
        }
        guard let position = list.position else {
            list.position = query.count
            return query.append(list.name, text)
        }
        query.extendValue(at: position, by: list.delimiter + text)
    }

    /// The location of a property of an object.
    func location(of property: String, in object: Location) -> Location {
        do throws(HTTPMessageError) {
            guard let name = try containerName(at: object) else { return .parameter(property) }
            guard let delimiter = style.nesting.delimiter else {
                return .parameter(style.nesting.join(name, property))
            }
            let list = objects[name] ?? DelimitedList(name, delimiter)
            objects[name] = list
            return .pair(list, property: property)
        } catch { return .unwritable(error) }
    }

    /// The name of an object or an array at a location; nil at the root.
    func containerName(at location: Location) throws(HTTPMessageError) -> String? {
        switch location {
        case .root: return nil
        case .unwritable(let error): throw error
        case .parameter(let name): return name
        case .element(let name, let index): return "\(name)[\(index)]"
        case .delimited(let array):
            throw QueryFault.unwritable(
                array.name, "an array in one parameter has no objects and no arrays; use `ArrayStyle.indices`.")
        case .pair(let object, _):
            throw QueryFault.unwritable(
                object.name,
                "an object in one parameter has no objects and no arrays; use `QueryStyle.Nesting.brackets`.")
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

import Foundation
import HTTPMessages

/// A type of entities: the names and types of their properties.
struct EntityType {
    let name: String
    let set: String
    /// The declared properties, in the order of Atom documents.
    let properties: KeyValuePairs<String, EdmType>
    /// True if there may be more properties, which are strings.
    let isOpen: Bool

    static let flightKey = "ID"
    static let flight = EntityType(
        name: "PATCHBAY.Flight", set: "Flights",
        properties: [
            flightKey: .string, "Carrier": .string, "Seats": .int32, "Price": .decimal, "Departure": .dateTime,
            "Cancelled": .boolean,
        ], isOpen: false)

    /// The properties of a registration that a client cannot change.
    static let fixedConnectionProperties: Set = ["ApplicationConnectionId", "UserName"]
    static let connection = EntityType(
        name: "applications.Connection", set: "Connections",
        properties: ["ApplicationConnectionId": .string, "UserName": .string, "DeviceType": .string], isOpen: true)

    /// The type of a property; nil for an unknown one.
    func type(of property: String) -> EdmType? {
        properties.first { $0.key == property }?.value ?? (isOpen ? .string : nil)
    }

    /// The declared properties in their order, then the others by name, each with its text or nil.
    func ordered(_ values: [String: String]) -> [(name: String, type: EdmType, text: String?)] {
        let others = values.keys.filter { name in !properties.contains { $0.key == name } }.sorted()
        return properties.map { ($0.key, $0.value, values[$0.key]) } + others.map { ($0, .string, values[$0]) }
    }

    /// The valid properties of a request's body, in Atom or JSON; nil for null.
    func values(in exchange: SAPService.Exchange) throws(SAPService.Failure) -> [String: String?] {
        switch exchange.request.mediaType {
        case let type? where type.isJSON: try values(json: exchange.body)
        case let type? where ["application/atom+xml", "application/xml"].contains(type.essence):
            try values(atom: exchange.body)
        default:
            throw .badRequest("Unsupported Content-Type; use application/json or application/atom+xml")
        }
    }

    private func values(json body: Data) throws(SAPService.Failure) -> [String: String?] {
        guard let document = try? JSONValue(parsing: body), let members = (document["d"] ?? document).object else {
            throw .badRequest("The body is not a JSON object")
        }
        var values: [String: String?] = [:]
        for (name, value) in members where name != "__metadata" {
            let type = try knownType(of: name)
            let text = type.text(value)
            guard text != nil || value.isNull else { throw invalid(name, type) }
            values.updateValue(text, forKey: name)
        }
        return values
    }

    private func values(atom body: Data) throws(SAPService.Failure) -> [String: String?] {
        guard let values = AtomEntryParser.properties(of: body) else {
            throw .badRequest("The body is not an Atom entry with m:properties")
        }
        for (name, text) in values {
            let type = try knownType(of: name)
            guard text.map(type.accepts) ?? true else { throw invalid(name, type) }
        }
        return values
    }

    private func knownType(of property: String) throws(SAPService.Failure) -> EdmType {
        guard let type = type(of: property) else { throw .badRequest("The property \(property) is unknown") }
        return type
    }

    private func invalid(_ property: String, _ type: EdmType) -> SAPService.Failure {
        .badRequest("The value of \(property) is not a valid \(type.rawValue)")
    }
}

import Foundation
import HTTPMessages
import Testing

@testable import OData

/// Documents of which the server sent only a part.
struct ODataPagesTests {
    private struct Order: Decodable, Hashable, Sendable {
        struct Item: Decodable, Hashable, Sendable {
            let ID: String
            let Parts: [[String: String]]?
        }
        let ID: String
        let Items: [Item]
    }

    private static let expected = Order(
        ID: "1", Items: [Order.Item(ID: "a", Parts: nil), Order.Item(ID: "b", Parts: [["ID": "p"]])])

    private static let next = [
        ODataLink(relation: "next", title: "Items", href: "http://h/s/Items?$skiptoken=2", type: nil),
        ODataLink(relation: "next", title: "Items[1].Parts", href: "http://h/s/Parts?$skiptoken=3", type: nil),
    ]

    private static let version2 = """
        {"ID":"1","Items":{"results":[{"ID":"a"},{"ID":"b","Parts":{"results":[{"ID":"p"}],
        "__next":"http://h/s/Parts?$skiptoken=3"}}],"__next":"http://h/s/Items?$skiptoken=2"}}
        """

    private static let version4 = """
        "ID":"1","Items":[{"ID":"a"},{"ID":"b","Parts":[{"ID":"p"}],"Parts@odata.nextLink":"Parts?$skiptoken=3"}],
        "Items@odata.nextLink":"Items?$skiptoken=2"}
        """

    private static func atom(_ id: String, _ links: String = "") -> String {
        """
        <entry>\(links)<content type="application/xml"><m:properties><d:ID>\(id)</d:ID></m:properties></content></entry>
        """
    }

    private static func atom(_ property: String, entries: String, next: String) -> String {
        """
        <link rel="http://schemas.microsoft.com/ado/2007/08/dataservices/related/\(property)" href="\(property)">
        <m:inline><feed>\(entries)<link rel="next" href="\(next)"/></feed></m:inline></link>
        """
    }

    private static let feed: String = {
        let parts = atom("Parts", entries: atom("p"), next: "Parts?$skiptoken=3")
        let items = atom("Items", entries: atom("a") + atom("b", parts), next: "Items?$skiptoken=2")
        return """
            <feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://h/s/"
             xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"
             xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices">\(atom("1", items))</feed>
            """
    }()

    @Test(arguments: [
        "{\"d\":{\"results\":[\(Self.version2)]}}", Self.feed,
        "{\"@odata.context\":\"http://h/s/$metadata#Orders\",\"value\":[{\(Self.version4)]}",
        "{\"@context\":\"http://h/s/$metadata#Orders\",\"value\":[{\(Self.version4)]}".replacing("@odata.", with: "@"),
        "{\"odata.metadata\":\"http://h/s/$metadata#Orders\",\"value\":[{\(Self.version4)]}",
    ])
    func `an expanded property of which only a part was sent has a link to the next one`(text: String) throws {
        let orders = try ODataCollection(parsing: Data(text.utf8), as: Order.self)
        #expect(orders.values == [Self.expected] && orders.nextLink == nil)
        #expect(orders.entries.first?.links.filter { $0.relation == "next" } == Self.next)
    }

    @Test(arguments: [
        "{\"d\":\(Self.version2)}", "{\"@odata.context\":\"http://h/s/$metadata#Orders/$entity\",\(Self.version4)",
    ])
    func `an entry has the next links of its expanded properties`(text: String) throws {
        let order = try ODataEntry(parsing: Data(text.utf8), as: Order.self)
        #expect(order.value == Self.expected && order.links == Self.next)
    }

    @Test func `a collection of OData 3 has entries, count, next page and entity tags`() throws {
        let text = """
            {"odata.metadata":"http://h/s/$metadata#Orders","odata.count":"500","odata.nextLink":"Orders?$skiptoken=2",
            "value":[{"odata.type":"S.Order","odata.id":"Orders('1')","odata.etag":"W/\\"1\\"",
            "odata.editLink":"Orders('1')","Items@odata.navigationLinkUrl":"Orders('1')/Items","ID":"1"}]}
            """
        struct Key: Decodable { let ID: String }
        let orders = try ODataCollection(parsing: Data(text.utf8), as: Key.self)
        #expect(orders.count == 500 && orders.nextLink == "http://h/s/Orders?$skiptoken=2")
        let order = try #require(orders.entries.first)
        #expect(order.value.ID == "1" && order.etag == "W/\"1\"" && order.type == "S.Order")
        #expect(order.id == "http://h/s/Orders('1')" && order.editLink == order.id)
        #expect(order.links.map(\.href) == ["http://h/s/Orders('1')/Items"])
    }

    @Test func `an entry of OData 3 may have properties named d and value`() throws {
        let text = #"{"odata.metadata":"http://h/s/$metadata#Settings/@Element","odata.etag":"1","d":"a","value":"on"}"#
        let entry = try ODataEntry(parsing: Data(text.utf8), as: [String: String].self)
        #expect(entry.value == ["d": "a", "value": "on"] && entry.etag == "1")
        let property = #"{"odata.metadata":"http://h/s/$metadata#Edm.String","value":"on"}"#
        #expect(throws: ODataError.self) { try ODataEntry(parsing: Data(property.utf8), as: JSONValue.self) }
    }
}

import Foundation
import PatchbayTestKit

/// A record of four fields.
struct JSONRecord: Codable, Sendable {
    let id: Int
    let name: String
    let price: Double
    let active: Bool

    static func list(_ count: Int) -> [JSONRecord] {
        (0..<count).map {
            JSONRecord(id: $0, name: "Item no. \($0 % 100)", price: Double($0) * 0.25, active: $0 % 3 == 0)
        }
    }
}

/// An object of 44 bytes.
struct JSONMessage: Codable {
    var id = 1_000_007
    var name = "a name of it"
    var ok = true
}

/// A record of 20 fields, half of them optional, some nested.
struct JSONProduct: Codable {
    struct Address: Codable {
        var street: String
        var zip: Int
        var tags: [String]?
    }

    let id: Int
    let code: String
    let title: String
    var created: String?
    var updated: String?
    let price: Double
    var discount: Double?
    let stock: Int
    var reserved: Int?
    let active: Bool
    var hidden: Bool?
    var note: String?
    var color: String?
    var weight: Double?
    var width: Int?
    var height: Int?
    var address: Address
    var billing: Address?
    let rank: Int
    var kind = "standard"

    static func list(_ count: Int) -> [JSONProduct] {
        (0..<count).map { id in
            var product = JSONProduct(
                id: id, code: "C-\(1000 + id)", title: "Title of record \(id)", price: Double(id) * 1.25, stock: id * 7,
                active: id % 3 == 0, address: Address(street: "Main Street \(id)", zip: 10_000 + id), rank: id % 10)
            if id.isMultiple(of: 2) {
                product.created = "2026-01-01T00:00:00Z"
                (product.reserved, product.hidden, product.weight, product.height) = (id, true, 1.5, 20)
                product.address.tags = ["a", "bb"]
                product.billing = Address(street: "Side Street \(id)", zip: 20_000 + id)
            } else {
                product.updated = "2026-01-01T00:00:00Z"
                (product.note, product.width) = ("some note of \(id)", 10)
            }
            if id % 3 == 0 { product.discount = 0.5 }
            if id % 3 == 1 { product.color = "red" }
            return product
        }
    }
}

/// A document in the form of twitter.json: long texts, many of them not ASCII, and nested objects of many members.
struct JSONTimeline: Codable {
    struct User: Codable {
        let id: Int64
        let id_str, name, screen_name, location, description: String
        var url: String?
        let followers_count, friends_count, listed_count, favourites_count, statuses_count: Int
        var utc_offset: Int?
        var time_zone: String?
        var protected = false, geo_enabled = false, verified = false, following = false, default_profile = true
        let created_at, lang, profile_background_color, profile_image_url: String
    }
    struct Mention: Codable {
        let screen_name, name, id_str: String
        let id: Int64
        let indices: [Int]
    }
    struct Link: Codable {
        let url, expanded_url, display_url: String
        let indices: [Int]
    }
    struct Entities: Codable {
        let urls: [Link]
        let user_mentions: [Mention]
    }
    struct Status: Codable {
        let metadata: [String: String]
        let created_at, id_str, text, source, lang: String
        let id: Int64
        var truncated = false, favorited = false, retweeted = false
        var in_reply_to_status_id: Int64?
        var in_reply_to_screen_name: String?
        let user: User
        let retweet_count: Int
        let entities: Entities
    }
    let statuses: [Status]

    init(count: Int) {
        statuses = (0..<count).map { number in
            let id = 505_874_924_095_815_681 + Int64(number)
            let user = User(
                id: id, id_str: "\(id)", name: "AYUMI \(number)", screen_name: "ayuu\(number)", location: "名古屋",
                description: "元野球部マネージャー❤︎…最高の夏をありがとう…❤︎", url: number.isMultiple(of: 2) ? nil : "http://t.co/\(number)",
                followers_count: 262, friends_count: 252, listed_count: 0, favourites_count: 235, statuses_count: 1769,
                created_at: "Sat Feb 16 13:40:25 +0000 2013", lang: "en", profile_background_color: "C0DEED",
                profile_image_url: "http://pbs.twimg.com/profile_images/497760886795153410/LDjAwR_y_normal.jpeg")
            let mention = Mention(
                screen_name: "aym0566x", name: "前田あゆみ", id_str: "866260188", id: 866_260_188, indices: [0, 9])
            let link = Link(
                url: "http://t.co/x", expanded_url: "http://example.com/page/\(number)",
                display_url: "example.com/page",
                indices: [10, 20])
            return Status(
                metadata: ["result_type": "recent", "iso_language_code": "ja"],
                created_at: "Sun Aug 31 00:29:15 +0000 2014",
                id_str: "\(id)",
                text: "@aym0566x \n\n名前:前田あゆみ\n第一印象:なんか怖っ!\n今の印象:とりあえずキモい。噛み合わない\n思い出:んーーー、ありすぎ😊❤️",
                source: "<a href=\"http://twitter.com/download/iphone\" rel=\"nofollow\">Twitter for iPhone</a>",
                lang: "ja",
                id: id, in_reply_to_status_id: number % 3 == 0 ? id - 1 : nil,
                in_reply_to_screen_name: number % 3 == 0 ? "aym0566x" : nil, user: user, retweet_count: number,
                entities: Entities(urls: [link], user_mentions: [mention]))
        }
    }
}

/// A document in the form of citm_catalog.json: dictionaries and many small objects of integers.
struct JSONCatalog: Codable {
    struct Event: Codable {
        var description: String?
        let id: Int
        var logo: String?
        let name: String
        let subTopicIds, topicIds: [Int]
        var subtitle: String?
    }
    struct Price: Codable { let amount, audienceSubCategoryId, seatCategoryId: Int }
    struct Area: Codable {
        let areaId: Int
        var blockIds: [Int] = []
    }
    struct SeatCategory: Codable {
        let areas: [Area]
        let seatCategoryId: Int
    }
    struct Performance: Codable {
        let eventId, id: Int
        var logo: String?
        var name: String?
        let prices: [Price]
        let seatCategories: [SeatCategory]
        let start: Int
        let venueCode: String
    }
    let areaNames: [String: String]
    let events: [String: Event]
    let performances: [Performance]

    init() {
        areaNames = .init(uniqueKeysWithValues: (0..<17).map { ("2057059\($0)", "Arrière-scène \($0)") })
        events = .init(
            uniqueKeysWithValues: (0..<184).map { number in
                let event = Event(
                    id: 138_586_900 + number, logo: number.isMultiple(of: 2) ? nil : "/images/UE0AAAAACEKo6QAAAAZDSVRN",
                    name: "30th Anniversary Tour \(number)", subTopicIds: [337_184_269, 337_184_283],
                    topicIds: [324_846_099, 107_888_604])
                return ("1385869\(number)", event)
            })
        performances = (0..<243).map { number in
            Performance(
                eventId: 138_586_341, id: 339_887_544 + number,
                prices: (0..<4).map {
                    Price(amount: 90_250, audienceSubCategoryId: 337_100_890, seatCategoryId: 338_937_295 + $0)
                },
                seatCategories: (0..<5).map { category in
                    SeatCategory(
                        areas: (0..<6).map { Area(areaId: 205_705_999 + $0) }, seatCategoryId: 338_937_295 + category)
                }, start: 1_372_701_600_000, venueCode: "PLEYEL_PLEYEL")
        }
    }
}

/// A document in the form of canada.json: coordinates.
struct JSONOutline: Codable {
    struct Geometry: Codable {
        var type = "Polygon"
        let coordinates: [[[Double]]]
    }
    var type = "Feature"
    let geometry: Geometry

    init() {
        var generator = SeededGenerator(seed: 7)
        let rings = (0..<100).map { _ in
            (0..<100).map { _ in
                [Double.random(in: -141 ... -52, using: &generator), Double.random(in: 41...83, using: &generator)]
            }
        }
        geometry = Geometry(coordinates: rings)
    }
}

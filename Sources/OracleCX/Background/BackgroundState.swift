/// Pauses and resumes the queue with the app's state, as a state machine without I/O.
///
/// Transitions: foreground → paused, or going on with the background task enabled; going on → paused when its time
/// expires; any → foreground. Time in the background is held while requests are left in "going on". Times are numbered,
/// because an earlier one may expire late, when the next has begun.
struct BackgroundState: Sendable {
    enum Event: Hashable, Sendable {
        /// The app entered the background; the setting was read at that moment.
        case enteredBackground(goesOn: Bool)
        case enteredForeground
        case requestAdded
        case requestEnded
        /// A time in the background has expired.
        case timeExpired(Int)
    }
    enum Action: Hashable, Sendable {
        case pause
        case resume
        case beginTime(Int)
        /// The time that was begun last is not needed any more.
        case endTime
    }
    private enum Place: Hashable {
        case foreground
        case paused
        case goingOn
    }

    private var place = Place.foreground
    private var requests = 0
    /// The number of the time that was begun last.
    private var time = 0
    private var hasTime = false

    mutating func handle(_ event: Event) -> [Action] {
        let before = place
        switch event {
        case .enteredBackground(let goesOn): if place == .foreground { place = goesOn ? .goingOn : .paused }
        case .enteredForeground: place = .foreground
        case .requestAdded: requests += 1
        case .requestEnded: requests -= 1
        case .timeExpired(let time): if place == .goingOn, hasTime, time == self.time { place = .paused }
        }
        var actions: [Action] = []
        if before != .paused, place == .paused { actions.append(.pause) }
        let needsTime = place == .goingOn && requests > 0
        if needsTime, !hasTime { time += 1 }
        if needsTime != hasTime { actions.append(needsTime ? .beginTime(time) : .endTime) }
        hasTime = needsTime
        if before == .paused, place != .paused { actions.append(.resume) }
        return actions
    }
}

import Foundation
import SwiftUI

// What the examples use of Swift Charts, with Apple's signatures and no content: see Scripts/check-apple.py.

@MainActor @preconcurrency
public protocol ChartContent {}

@resultBuilder
public enum ChartContentBuilder {
    public static func buildBlock<Content: ChartContent>(_ content: Content) -> Content { content }
}

public struct Chart<Content: ChartContent>: Leaf {
    nonisolated public init<Data: RandomAccessCollection>(
        _ data: Data, @ChartContentBuilder content: @escaping (Data.Element) -> Content
    ) where Data.Element: Identifiable {}
}

public protocol Plottable {}
extension Int: Plottable {}
extension Date: Plottable {}

public struct PlottableValue<Value: Plottable> {
    public static func value(_ labelKey: LocalizedStringKey, _ value: Value) -> PlottableValue<Value> { PlottableValue() }
}

extension PlottableValue where Value == Date {
    public static func value(
        _ labelKey: LocalizedStringKey, _ date: Date, unit: Calendar.Component, calendar: Calendar? = nil
    ) -> PlottableValue<Date> { PlottableValue() }
}

public struct BarMark: ChartContent {
    nonisolated public init<X: Plottable, Y: Plottable>(x: PlottableValue<X>, y: PlottableValue<Y>) {}
}

import FireLiteFHIRPath

/// UCUM units that records have, by whose codes a quantity in another unit of the same dimension is found.
enum CommonUnits {
    /// The system of UCUM's codes.
    static let system = "http://unitsofmeasure.org"

    private static let codes = """
        kg g mg ug ng pg fg t [lb_av] [oz_av] [stone_av] m km dm cm mm um nm [in_i] [ft_i] [yd_i] [mi_i] L dL cL mL uL nL pL fL l dl ml m3 dm3 \
        cm3 mm3 um3 [foz_us] [pt_us] [gal_us] [tsp_us] [tbs_us] [cup_us] s ms us ns min h d wk mo a Cel K [degF] Pa hPa kPa MPa bar mbar mm[Hg] \
        cm[H2O] atm [psi] J kJ cal kcal [Cal] W mol mmol umol nmol pmol g/L mg/L ug/L ng/L g/dL mg/dL ug/dL ng/dL pg/dL g/mL mg/mL ug/mL ng/mL \
        pg/mL kg/L kg/m3 mol/L mmol/L umol/L nmol/L pmol/L mmol/dL umol/dL umol/mL nmol/mL pmol/mL kat ukat nkat U mU uU kU U/L mU/L kU/L U/mL \
        mU/mL uU/mL ukat/L nkat/L kat/L Hz /s /min /h 1/s 1/min {beats}/min {Breaths}/min /uL /mL /dL /L 10*3/uL 10*6/uL 10*9/L 10*12/L 10*3/mL \
        10*6/mL 10*6/L L/min L/s L/h mL/min mL/s mL/h mL/d mL/min/{1.73_m2} m/s km/h m2 cm2 mm2 kg/m2 g/cm2 1 % [ppth] [ppm] mg/g ug/mg g/g \
        mg/kg ug/kg g/kg mmol/kg mmol/mol mg/mmol g/mol mg/h ug/h ug/min mg/min mg/d g/d ug/d mmol/d umol/d osm/kg mosm/kg osm/L mosm/L eq/L \
        meq/L ueq/L V mV uV A mA Gy mGy cGy Sv mSv uSv Bq kBq MBq Ci mCi deg rad N
        """.split(separator: " ").map(String.init)

    /// A number in each other unit of the same dimension; empty if the unit is unknown.
    static func alternatives(to code: String, of number: SearchNumber) -> [(number: SearchNumber, code: String)] {
        codes.compactMap { other in
            guard other != code, let converted = SearchNumber(converting: number, { UnitConversion.convert($0, from: code, to: other) })
            else { return nil }
            return (converted, other)
        }
    }
}

import { FieldType, getDisplayProcessor, getDisplayValueAlignmentFactors, VizOrientation, type FieldDisplay } from '@grafana/data';
import { BarGaugeNamePlacement, BarGaugeValueMode } from '@grafana/schema';
import { BarGauge as Gauge, BarGaugeDisplayMode, useTheme2, VizRepeater } from '@grafana/ui';
import { values, type Props } from './props';

export function BarGauge(props: Props) {
  const theme = useTheme2();
  const options = props.data.panel.options ?? {};
  const orientation = options.orientation && options.orientation !== 'auto' ? options.orientation : VizOrientation.Horizontal;
  return (
    <VizRepeater
      width={props.width}
      height={props.height}
      source={props.data}
      getValues={() => values(props, theme)}
      getAlignmentFactors={getDisplayValueAlignmentFactors}
      renderCounter={0}
      orientation={orientation}
      itemSpacing={10}
      minVizWidth={options.minVizWidth ?? 8}
      minVizHeight={options.minVizHeight ?? 16}
      maxVizHeight={options.maxVizHeight ?? 300}
      renderValue={({ value, width, height, alignmentFactors }) => {
        const { field, display, view, colIndex } = value as FieldDisplay;
        const processor = view?.getFieldDisplayProcessor(colIndex ?? 0) ?? getDisplayProcessor({ field: { type: FieldType.number, config: field }, theme });
        return (
          <Gauge
            theme={theme}
            value={display}
            display={processor}
            field={field}
            width={width}
            height={height}
            orientation={orientation}
            alignmentFactors={alignmentFactors}
            displayMode={options.displayMode ?? BarGaugeDisplayMode.Gradient}
            valueDisplayMode={options.valueMode ?? BarGaugeValueMode.Color}
            namePlacement={options.namePlacement ?? BarGaugeNamePlacement.Auto}
            showUnfilled={options.showUnfilled ?? true}
            text={options.text}
            itemSpacing={10}
            lcdCellWidth={12}
          />
        );
      }}
    />
  );
}
